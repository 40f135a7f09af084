import { assert, describe, it } from "@effect/vitest"
import { closes, closingIn, turns } from "../../src/local/language/closing.ts"
import { stemsIn } from "../../src/local/language/concepts.ts"
import { deniesTopic, withoutDenials } from "../../src/local/language/denial.ts"
import { pressure } from "../../src/local/language/pressure.ts"
import { asks } from "../../src/local/language/requests.ts"
import { strongSigns } from "../../src/local/language/signs.ts"

// What the words of a sentence show, without any model.

describe("a sentence", () => {
  const asking: ReadonlyArray<readonly [sentence: string, isAsking: boolean]> = [
    ["Cancel my order.", true],
    ["The order was cancelled.", false],
    ["See https://x.org/?a=1 for it", false],
    ["Is it done? ", true],
    ["Please help", true],
    ["It says: delete the file", true],
    ["We came and then send it back", true],
    ["Call you", false],
    ["I'd like a refund", true],
    ["We are waiting for it", true],
    ["any update", true],
    ["It arrived.", false]
  ]
  it.each(asking)("asks for something only if it is a question or a request: %s", (sentence, isAsking) => {
    assert.strictEqual(asks(sentence), isAsking)
  })

  const ends: ReadonlyArray<readonly [sentence: string, closes: boolean, turns: boolean, isSettled: boolean]> = [
    ["It took a while, but all is fine now.", true, false, true],
    ["Thanks, but it still crashes.", true, true, false],
    ["All is fine, please close the ticket.", true, false, true],
    ["All is fine, please send the invoice.", true, false, false],
    ["Thanks, please pass it on to the team.", true, false, true],
    ["Great, no errors any more.", false, false, false],
    ["The lamp is lovely, but it arrived broken.", true, true, false],
    ["There was no crash.", true, false, true]
  ]
  it.each(ends)(
    "settles a matter unless it objects or asks for more: %s",
    (sentence, isClosing, isTurning, isSettled) => {
      assert.deepStrictEqual(
        [closes(sentence), turns(sentence), closingIn({ text: sentence, sentences: [sentence] }, () => 0)],
        [isClosing, isTurning, isSettled ? [sentence] : []]
      )
    }
  )
})

describe("what is denied", () => {
  it.each([
    ["There was no crash.", ""],
    ["I do not want to cancel.", ""],
    ["The shop is slow, no errors.", "The shop is slow,"],
    ["It is not broken, but it is late.", "but it is late."]
  ])("is left out of a text: %s", (text, rest) => {
    assert.strictEqual(withoutDenials(text), rest)
  })

  it.each([
    "Why were these errors never fixed, why is nothing urgent?",
    "How can you not want to cancel this?",
    "Why is there never an error message?",
    "How is that not a problem?",
    "You did not solve the problem."
  ])("is kept if it is a reproach: %s", (text) => {
    assert.strictEqual(withoutDenials(text), text)
  })

  const topics: ReadonlyArray<readonly [text: string, question: string, isDenied: boolean]> = [
    ["I do not have the receipt", "Does the customer have a problem?", false],
    ["There is no pain", "Is there any pain?", true],
    ["I have no problem", "Does the customer have problems?", true],
    ["We did not get any refund", "Was the order refunded?", true],
    ["No text came", "Is this text angry?", false],
    ["No customer came", "Does the customer complain?", false],
    ["The pain is bad", "Is there any pain?", false]
  ]
  it.each(topics)("may be the topic of a question: %s %s", (text, question, isDenied) => {
    assert.strictEqual(deniesTopic(text, question), isDenied)
  })
})

describe("how pressing a sentence is", () => {
  const rows: ReadonlyArray<readonly [sentence: string, pressure: number, signs: number]> = [
    ["URGENT", 2, 1],
    ["It is urgent", 2, 1],
    ["A non-urgent request", 0, 0],
    ["It is not urgent.", -2, 1],
    ["No hurry.", -2, 0],
    ["No hurry, but our data was stolen.", 0, 1],
    ["Thanks, but the shop is down again.", 2, 1],
    ["Everything works again now.", -2, 0],
    ["We had no outage and nothing was stolen.", -2, 1],
    ["I will call my lawyer.", 2, 1],
    ["I will call my lawyer, this is unacceptable.", 3, 2],
    ["The site is down, this is unacceptable and I will sue.", 3, 3],
    ["The site is down, it is urgent, this is unacceptable and I will sue.", 3, 4],
    ["It closes right away.", 0, 0],
    ["Close it right away.", 2, 0],
    ["I am still waiting for it.", 1, 0],
    ["I was promised a call.", 1, 0],
    ["Come over here now, all of you!", 0.5, 0],
    ["Oh no!", 0, 0]
  ]
  it.each(rows)("depends on the kinds of its signs: %s", (sentence, expected, signs) => {
    assert.deepStrictEqual([pressure(sentence), strongSigns(sentence)], [expected, signs])
  })
})

describe("the words that say what a text is about", () => {
  it.each([
    ["Feed the cat, pay tax", ["cat", "tax"]],
    ["Taxes for the CAT", ["tax", "cat"]],
    ["a b to buy oil", ["oil"]],
    ["Weather in Ulm", ["weath", "ulm"]],
    ["Send the mugs of our parties", ["mug", "part"]]
  ])("are compared by their stems: %s", (text, stems) => {
    assert.deepStrictEqual([...stemsIn(text)], stems)
  })
})
