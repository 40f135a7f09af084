import { names, testPairs } from "./pairs.ts"

testPairs(names.filter((_, i) => i % 2 === 1))
