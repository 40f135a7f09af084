/** Recognises the language of a text by its letters and its function words, as far as it takes to keep to English. */

/** Words of each language that most of its sentences have. A word of several languages counts for each of them. */
const functionWords: Readonly<Record<string, string>> = {
  English:
    "a about after again all also always am an and another any are as ask at back be because been before being best both but by can cannot could dear did " +
    "do does doing done down during each even ever every everything fine first for from get getting gets give good got had has have having he hello help " +
    "her here hers hi him his how however i if in into is it its just keep keeps know last let like made make many may maybe me might mine more most much " +
    "must my need never new next no nobody none nor not nothing now of off on once one only or other our out over own please put regards right same " +
    "say see send she should since so some somebody someone something still such take tell than thank thanks that the their them then there these they " +
    "thing this those though three through time times to today told tomorrow too two under until up us use very want was way we well went were what when " +
    "where whether which while who whose why will with without works would wrong year years yes yesterday yet you your yours " +
    "bill broken card cancel charge charged charging cheers come crash crashed crashes day days delivery die fix fixed great hat hot invoice issue love missing money nice " +
    "mate men met order ordered page pan parcel password payment per phone plus pour pro refund sat son sorry subscription team ten thx till uh um van war week weeks month " +
    "months waiting working yeah yep",
  German:
    "ich du wir ihr sie es der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine keinen ist sind war waren wird werden " +
    "wurde wurden habe hat haben hatte kann können konnte muss müssen bitte danke dank vielen mein meine meinen meiner meinem ihre ihren ihnen mich mir " +
    "sich uns unser auf aus bei mit nach seit von vom zu zum zur für über um wenn weil dass noch nur schon auch sehr wie was wo warum immer guten tag " +
    "hallo grüße grüßen mehr nichts heute gestern jetzt funktioniert geht in im am an bis rechnung bestellung bestellt konto passwort lieferung paket erhalten falsch",
  French:
    "je tu il elle nous vous ils elles le la les un une des du de et ou mais est sont était été être ai avons avez ont mon ma mes votre vos notre ce cet " +
    "cette ces que qui quoi où ne pas plus jamais rien pour par avec sans sur dans chez depuis très bien bonjour bonsoir merci beaucoup cordialement " +
    "comment pourquoi quand toujours encore aussi au aux en se sa son faire peux pouvez voudrais me on à compte facture commande remboursement marche panne salut svp colis bloqué",
  Spanish:
    "yo tú él ella nosotros usted ustedes el la los las un una unos unas de del y o pero es son está están era fue ser estar he ha han hemos tengo tiene " +
    "mi mis su sus que qué quién cómo cuándo dónde por para con sin sobre en desde hasta muy bien más menos no ni nunca nada algo hola gracias buenos días " +
    "buenas tardes saludos favor porque cuando como se me te le lo ya también cada puedo puede quiero funciona hace al a este esta cuenta factura pedido pago reembolso contraseña paquete",
  Italian:
    "io tu lui lei noi voi il lo la gli le un uno una di del della dei delle dello e o ma è sono era ho ha hai abbiamo hanno mio mia miei vostra vostro " +
    "che chi come quando dove perché per con senza su sul sulla in nel nella da dal dalla non mai niente nulla più molto bene ciao buongiorno buonasera " +
    "grazie saluti cordiali salve anche ancora già sempre questo questa questi mi si ci vi al alla posso vorrei funziona essere stato a fattura ordine pagamento rimborso pacco conto riesco",
  Portuguese:
    "eu ele ela nós você vocês o os as um uma de do da dos das e ou mas é são está estão era foi ser estar tenho tem têm meu minha meus minhas seu sua " +
    "que quem como quando onde por para com sem sobre em no na nos nas não nem nunca nada muito bem mais menos já também ainda olá oi bom boa dia tarde " +
    "obrigado obrigada cumprimentos favor porque se me lhe isso este esta pode posso quero gostaria desde até ao à a conta fatura pedido pagamento senha reembolso encomenda",
  Dutch:
    "ik jij je u hij zij wij we het de een en of maar niet geen is zijn was waren wordt heb heeft hebben had kan kunnen moet mijn uw ons onze dit dat deze " +
    "die wie wat waar wanneer waarom hoe voor van met zonder op aan in uit bij naar om te tot als dan nog al ook zeer heel meer hallo goedemorgen " +
    "goedemiddag goedendag beste bedankt dank alvast groeten groet vriendelijke graag sinds steeds altijd nooit niets wel er wil rekening factuur bestelling betaling wachtwoord pakket vergeten hoi",
  Polish:
    "ja ty ona wy oni jest są był była było być mam masz ma mamy nie tak ale lub oraz i w we z ze na do od po za przez dla przy o u się mój moja moje " +
    "mojego pan pani państwo to ten ta te tego że jak kiedy gdzie dlaczego co kto już jeszcze bardzo dobry dzień dziękuję proszę pozdrawiam witam czy " +
    "tylko wszystko może mogę cześć konto faktura zamówienie płatność hasło zwrot paczka",
  Swedish:
    "jag du han hon vi ni de det den en ett och eller men inte är var har hade kan kunde måste min mitt mina era ert som att om för från med utan på av " +
    "till vid i efter sedan mycket mer hej tack vänliga hälsningar varför när hur vad vem också ännu redan aldrig inget alltid mig dig",
  Danish:
    "jeg du han hun vi de det den en et og eller men ikke er var har havde kan kunne skal min mit mine jeres som at om for fra med uden på af til ved i " +
    "efter siden meget mere hej tak venlig hilsen hvorfor hvornår hvordan hvad hvem også endnu allerede aldrig intet altid mig dig noget",
  Norwegian:
    "jeg du han hun vi dere de det den en et ei og eller men ikke er var har hadde kan kunne skal min mitt mine som at om for fra med uten på av til ved i " +
    "etter siden mye mer hei takk vennlig hilsen hvorfor når hvordan hva hvem også ennå allerede aldri ingenting alltid meg deg noe",
  Finnish:
    "minä sinä hän me te on ovat oli olen ei en eivät ja tai mutta että joka mikä kun jos niin myös vielä jo hyvin paljon kiitos hei moi terve päivää " +
    "miksi miten missä milloin minun teidän se tämä ole voi voin",
  Turkish:
    "ben sen biz siz onlar bir ve veya ama değil var yok bu şu ne kim nasıl neden niçin nerede için ile gibi çok daha mi mı mu merhaba teşekkürler " +
    "teşekkür ederim lütfen iyi günler selamlar benim sizin hiç hala henüz",
  Czech:
    "já ty vy oni je jsou byl byla bylo být mám máte má ne ano ale nebo a i v ve z ze na do od po za pro při o u se si můj moje to ten ta že jak když kdy " +
    "kde proč co kdo už ještě velmi dobrý den děkuji prosím pozdravem zdravím jen všechno mohu jsem jsme",
  Romanian:
    "eu noi voi un o și sau dar nu este sunt era am ai are avem au meu mea dumneavoastră ce cine cum când unde de din la pe cu fără în pentru prin că să " +
    "mai foarte bine bună ziua mulțumesc vă rog salut deja încă",
  Hungarian:
    "én te ő mi ti ők a az egy és vagy de nem van volt vannak lesz hogy mint ha mert csak már még nagyon jó napot köszönöm kérem üdvözlettel szia miért " +
    "hogyan hol mikor mit ki ez azt",
  Indonesian:
    "saya anda kami kita dia mereka dan atau tetapi tidak bukan adalah ada ini itu yang di ke dari untuk dengan tanpa pada sudah belum akan bisa tolong " +
    "terima kasih selamat pagi siang mengapa bagaimana kapan"
}

const English = "English"
const unknown = "another language"
const names = Object.keys(functionWords)

const withoutAccents = (word: string): string => word.normalize("NFD").replace(/\p{M}/gu, "")

const languagesOf = new Map<string, Array<string>>()
for (const name of names) {
  const words = (functionWords[name] ?? "").split(" ")
  // many people leave out accents
  const plain = words.map(withoutAccents).filter((word) => word.length > 2)
  for (const word of new Set([...words, ...plain])) languagesOf.set(word, [...(languagesOf.get(word) ?? []), name])
}

/** In order: Japanese has Chinese letters as well. */
const scripts: ReadonlyArray<readonly [string, RegExp]> = [
  ["Japanese", /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ["Korean", /\p{Script=Hangul}/gu],
  ["Chinese", /\p{Script=Han}/gu],
  ["a language in Cyrillic letters", /\p{Script=Cyrillic}/gu],
  ["Greek", /\p{Script=Greek}/gu],
  ["a language in Arabic letters", /\p{Script=Arabic}/gu],
  ["Hebrew", /\p{Script=Hebrew}/gu],
  ["a language in Devanagari letters", /\p{Script=Devanagari}/gu],
  ["Thai", /\p{Script=Thai}/gu],
  [unknown, /[^\P{L}\p{Script=Latin}]/gu]
]

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/** The language of a text most of whose letters are not Latin. */
const byScript = (text: string): string | undefined => {
  const latin = countOf(text, /\p{Script=Latin}/gu)
  const other = countOf(text, /[^\P{L}\p{Script=Latin}]/gu)
  return other > latin ? scripts.find(([, pattern]) => countOf(text, pattern) > 0)?.[0] : undefined
}

/** A short name inside a sentence: "Dan" is no Dutch word there. German writes some pronouns like names. */
const shortName = /(?<=\p{Ll}\s)(?!Sie|Ihr)\p{Lu}\p{Ll}{1,2}(?!\p{L})/gu

/** The words of a text in small letters. Single vowels, short names and abbreviations in capitals, such as "EU", tell nothing. */
const wordsOf = (text: string): ReadonlyArray<string> => {
  const spoken = /\p{Ll}/u.test(text)
    ? text.replace(/(?<!\p{L})\p{Lu}{2,4}(?!\p{L})/gu, " ").replace(shortName, " ")
    : text
  return (spoken.toLowerCase().match(/\p{L}+(?:['’]\p{L}+)*/gu) ?? []).filter((word) => !/^[aeouy]$/u.test(word))
}

/** The languages that a word is a sign of. */
const tellsOf = (word: string): ReadonlyArray<string> => {
  const known = languagesOf.get(word)
  if (known !== undefined) return known
  if (/['’](?:m|t|s|re|ve|ll|d)$/u.test(word)) return [English]
  return /^(?:[cdjlmnst]|qu|dell|nell|all|un)['’]/u.test(word) ? ["French", "Italian"] : []
}

type Counts = ReadonlyMap<string, number>

const countsOf = (words: ReadonlyArray<string>): Counts => {
  const counts = new Map<string, number>()
  for (const name of Array.from(new Set(words)).flatMap(tellsOf)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** The language with the most words: English if it is among several, and another language if none of several is. */
const most = (counts: Counts): readonly [name: string, count: number] => {
  const count = Math.max(0, ...counts.values())
  if (count === (counts.get(English) ?? 0)) return [English, count]
  const best = names.filter((name) => counts.get(name) === count)
  return [best.length === 1 ? (best[0] ?? unknown) : unknown, count]
}

const clearly = 2
/** How long a word must be to tell the language of a few words on its own. */
const longEnough = 4
const fewWords = 3
const manyWords = 6

/** Whether many words, none of them known, do not look like English either. */
const isUnknown = (words: ReadonlyArray<string>): boolean =>
  words.length >= manyWords && !words.some((word) => /(?:ing|ed|tion|ly|ment|able)$/u.test(word))

/** Whether a language is clearly likelier than another one: by several words, or since no word tells of the other alone. */
const leads = (words: ReadonlyArray<string>, counts: Counts, name: string, other: string): boolean => {
  const lead = (counts.get(name) ?? Math.max(...counts.values())) - (counts.get(other) ?? 0)
  if (lead >= clearly) return true
  return lead > 0 && !words.some((word) => tellsOf(word).includes(other) && !tellsOf(word).includes(name))
}

/** The language of a whole text. One with hardly any words of a language counts as English. */
const mainOf = (text: string): string => {
  const script = byScript(text)
  if (script !== undefined) return script
  // names and codes are of no language
  const words = wordsOf(text.replace(/(?<!\S)\S*[\d@_/]\S*|(?<![.!?]\s)\b\p{Lu}\S*/gu, " "))
  const all = wordsOf(text)
  const counts = countsOf(all)
  const [name, count] = most(counts)
  if (count === 0) return isUnknown(words) ? unknown : English
  // "Ada" is a name, and a word of Indonesian
  if (
    all.length <= fewWords &&
    count === 1 &&
    all.every((word) => word.length < longEnough || tellsOf(word).length === 0)
  )
    return English
  return leads(all, counts, name, English) ? name : English
}

/** The language of a sentence in a text: that of the text, unless it is clearly in another one. */
const inside = (sentence: string, main: string): string => {
  const script = byScript(sentence)
  if (script !== undefined) return script
  const words = wordsOf(sentence)
  const counts = countsOf(words)
  const [name, count] = most(counts)
  return count >= clearly && leads(words, counts, name, main) ? name : main
}

/** The sentences of a text that are English, and the languages of the others, the most frequent first. */
export interface Tongues {
  readonly english: ReadonlyArray<string>
  readonly others: ReadonlyArray<string>
}

/** Tells the English sentences of a text from the others. */
export const tonguesOf = (text: string, sentences: ReadonlyArray<string>): Tongues => {
  const main = mainOf(text)
  const of = sentences.map((sentence) => inside(sentence, main))
  const counts = Map.groupBy(
    of.filter((name) => name !== English),
    (name) => name
  )
  return {
    english: sentences.filter((_, i) => of[i] === English),
    others: Array.from(counts)
      .toSorted(([, a], [, b]) => b.length - a.length)
      .map(([name]) => name)
  }
}
