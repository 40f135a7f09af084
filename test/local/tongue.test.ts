import { assert, describe, it } from "@effect/vitest"
import { tonguesOf } from "../../src/local/language/tongue.ts"

const split = (text: string) => text.split(/(?<=[.!?])\s+/)
const others = (text: string) => tonguesOf(text, split(text)).others

describe("the language of a text", () => {
  it.each([
    ["German", "Ich habe den Stuhl vor zwei Wochen bestellt und noch keine Antwort bekommen."],
    ["French", "Bonjour, ma livraison n'est toujours pas arrivée et personne ne répond."],
    ["French", "j'ai ete preleve deux fois, merci de me rembourser"],
    ["Spanish", "No puedo entrar en mi cuenta desde ayer, ¿qué hago?"],
    ["Italian", "Il pacco non è mai arrivato, quando posso avere il rimborso?"],
    ["Portuguese", "Gostaria de mudar a minha morada, como posso fazer isso?"],
    ["Dutch", "Mijn bestelling is nog steeds niet aangekomen, waar is het pakket?"],
    ["Polish", "Nie mogę się zalogować, proszę o nowe hasło."],
    ["Swedish", "Jag har inte fått mitt paket och ingen svarar när jag ringer."],
    ["Finnish", "Miten voin vaihtaa salasanan? En ole saanut viestiä ja minun tili on lukittu."],
    ["Turkish", "Merhaba, siparişim hala gelmedi, lütfen bana bilgi verin. Çok teşekkür ederim."],
    ["Japanese", "昨日から画面が真っ白です。どうすればいいですか。"],
    ["Chinese", "我的订单还没有到,请尽快处理。"],
    ["Korean", "비밀번호를 잊어버렸어요."],
    ["a language in Cyrillic letters", "Заказ не пришёл, верните деньги."],
    ["another language", "Habari, siwezi kuingia kwenye akaunti yangu tangu jana jioni"]
  ])("is %s: %s", (name, text) => {
    assert.deepStrictEqual(others(text), [name])
  })

  it.each([
    "Refund.",
    "app dies on start, pls help",
    "helo i cant opn my acount sinse tusday",
    "Jürgen Weiß, Käthe-Kollwitz-Straße 5, München",
    "Order A-1047, INV-2231, 4x USB-C",
    "Our office in Rio de Janeiro moves to São Paulo, so please change the address.",
    "Do EU transfers take long?",
    "We met in Rome.",
    "We met Dan in Amsterdam.",
    "Plus size, price per item.",
    "Ten men die in war.",
    "Come in.",
    "We sat in a van.",
    "Ada",
    "?!",
    ""
  ])("counts as English where nothing shows another one: %s", (text) => {
    assert.deepStrictEqual(others(text), [])
  })

  it("is another one if six or more words are unknown and do not end like English words", () => {
    for (const [text, expected] of [
      ["siwezi kuingia kwenye akaunti yangu tangu", ["another language"]],
      ["siwezi kuingia kwenye akaunti yangu", []],
      ["siwezi kuingia kwenye akaunti yangu booking", []],
      ["siwezi kuingia kwenye akaunti yangu INV-17", []]
    ] as const) {
      assert.deepStrictEqual(others(text), expected, text)
    }
  })

  it("is judged for each sentence of a mixed text", () => {
    const text =
      "Ich warte seit Montag auf eine Antwort. The payment was taken twice, please refund one. Vielen Dank, Uwe"
    const { english, others } = tonguesOf(text, split(text))
    assert.deepStrictEqual(english, ["The payment was taken twice, please refund one."])
    assert.deepStrictEqual(others, ["German"])
    const japanese = "昨日から画面が真っ白です。"
    const both = [text, japanese].join(" ")
    assert.deepStrictEqual(tonguesOf(both, [...split(text), japanese]), { english, others: ["German", "Japanese"] })
  })

  it("is named first if most sentences are in it", () => {
    const french = "Bonjour, ma livraison n'est toujours pas arrivée et personne ne répond."
    const german = [
      "Ich warte seit Montag auf eine Antwort.",
      "Ich habe den Stuhl vor zwei Wochen bestellt und noch keine Antwort bekommen."
    ]
    const othersOf = (...sentences: ReadonlyArray<string>) => tonguesOf(sentences.join(" "), sentences).others
    assert.deepStrictEqual(othersOf(french, ...german), ["German", "French"])
    assert.deepStrictEqual(othersOf(...german, french), ["German", "French"])
  })
})
