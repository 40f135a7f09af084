/**
 * Everyday messages, each with the tools that are there and the call that a person would expect. The first ones were written before
 * the provider could choose tools. Its rules were worked out on every other one; the rest was held out.
 */
import type { Tool } from "cogito/Provider"

type Properties = Readonly<Record<string, object>>

const tool = (
  name: string,
  description: string,
  properties: Properties,
  required: ReadonlyArray<string> = Object.keys(properties)
): Tool => ({
  name,
  description,
  parameters: { type: "object", properties, required, additionalProperties: false }
})

const text = (description?: string) =>
  description === undefined ? { type: "string" } : { type: "string", description }
const whole = (description?: string) =>
  description === undefined ? { type: "integer" } : { type: "integer", description }

export const toolsets = {
  shop: [
    tool("order_status", "Looks up an order and where its parcel is", { number: whole("The number of the order") }),
    tool("refund", "Pays the price of an order back to the customer", { number: whole("The number of the order") }),
    tool("cancel_order", "Cancels an order that was not sent yet", { number: whole("The number of the order") }),
    tool("find_products", "Searches the products of the shop", { query: text("What to search for") }),
    tool("opening_hours", "Tells when the shop is open", {}),
    tool("change_address", "Changes the delivery address of an order", {
      number: whole("The number of the order"),
      address: text("The new address")
    })
  ],
  travel: [
    tool("weather", "The current weather and the forecast of a city", { city: text("The city") }),
    tool(
      "flights",
      "Searches flights between two cities",
      {
        from: text("The city of departure"),
        to: text("The city of arrival"),
        date: text("The day of the flight")
      },
      ["from", "to"]
    ),
    tool("hotels", "Finds hotels in a city", { city: text("The city"), nights: whole("How many nights") }, ["city"]),
    tool("currency", "Converts an amount of money into another currency", {
      amount: { type: "number", description: "The amount to convert" },
      from: text("The currency of the amount"),
      to: text("The currency to convert into")
    })
  ],
  calendar: [
    tool("list_events", "Shows the events of a day in the calendar", { date: text("The day") }),
    tool(
      "add_event",
      "Adds an event to the calendar",
      {
        title: text("What the event is"),
        date: text("The day of the event"),
        time: text("When it begins")
      },
      ["title", "date"]
    ),
    tool("delete_event", "Removes an event from the calendar", { title: text("The title of the event") }),
    tool("remind", "Sets a reminder", { text: text("What to be reminded of"), time: text("When") }, ["text"]),
    tool("send_email", "Sends an e-mail to somebody", { to: text("The e-mail address"), body: text("The text") })
  ],
  files: [
    tool("list_files", "Lists the files in a folder", { folder: text("The path of the folder") }, []),
    tool("read_file", "Reads the contents of a file", { path: text("The path of the file") }),
    tool("delete_file", "Deletes a file", { path: text("The path of the file") }),
    tool("search_files", "Finds files that contain a text", { query: text("The text to look for") })
  ],
  notes: [
    tool("add_note", "Saves a note", { text: text("The text of the note") }),
    tool("find_notes", "Searches the notes for words", { query: text("The words to search for") }),
    tool("calculate", "Computes an arithmetic expression", { expression: text("The expression to compute") }),
    tool("time", "Tells the current time", {})
  ],
  home: [
    tool("lights", "Turns the lights of a room on or off", {
      room: { type: "string", enum: ["kitchen", "bedroom", "bathroom", "office"] },
      state: { type: "string", enum: ["on", "off"] }
    }),
    tool("heating", "Sets the temperature of the heating", { celsius: { type: "number", description: "Degrees" } }),
    tool("play_music", "Plays music of an artist", { artist: text("The artist or band") })
  ]
} satisfies Readonly<Record<string, ReadonlyArray<Tool>>>

/** Other tools, on which the rules were made more general. */
export const otherToolsets = {
  bank: [
    tool("balance", "Tells how much money is in an account", {}),
    tool("transfer", "Transfers money to somebody", {
      amount: { type: "number", description: "How much" },
      recipient: text("Name of the person who gets it")
    }),
    tool("block_card", "Blocks a card that was lost or stolen", {}),
    tool("list_payments", "Lists the last payments of a month", { month: text("The month") }, [])
  ],
  tasks: [
    tool(
      "create_task",
      "Creates a task in a project",
      { title: text("What is to be done"), due: text("The due date") },
      ["title"]
    ),
    tool("complete_task", "Marks a task as done", { id: whole("The number of the task") }),
    tool("assign_task", "Assigns a task to a person", {
      id: whole("The number of the task"),
      person: text("Who does it")
    }),
    tool("list_tasks", "Lists the open tasks", {}),
    tool("get_task", "Shows the details of a task", { id: whole("The number of the task") })
  ],
  kitchen: [
    tool("find_recipes", "Searches recipes by ingredient", { ingredient: text("What to cook with") }),
    tool("start_timer", "Starts a kitchen timer", { minutes: whole("How many minutes") }),
    tool("convert_units", "Converts between units of measurement", {
      amount: { type: "number", description: "The amount" },
      from: text("The unit of the amount"),
      to: text("The unit to convert into")
    }),
    tool("shopping_list_add", "Puts an item on the shopping list", { item: text("What to buy") })
  ],
  library: [
    tool("search_books", "Searches the catalogue by author or title", { query: text("Author or title") }),
    tool("renew_loan", "Renews the loan of a book", { loan_id: text("The id of the loan") }),
    tool("reserve_book", "Reserves a book", { isbn: text("The ISBN of the book") }),
    tool(
      "library_hours",
      "Tells when the library is open",
      { branch: { type: "string", enum: ["center", "north", "south"] } },
      []
    )
  ]
} satisfies Readonly<Record<string, ReadonlyArray<Tool>>>

/** The tool that a person expects, with its parameters where they are clear, or none. */
export interface Everyday {
  readonly tools: keyof typeof toolsets
  readonly message: string
  readonly calls: string | undefined
  readonly params?: Readonly<Record<string, unknown>>
  /** A required parameter that the message does not say. */
  readonly missing?: string
}

const on =
  (tools: keyof typeof toolsets) =>
  (message: string, calls: string | undefined, more: Partial<Everyday> = {}): Everyday => ({
    tools,
    message,
    calls,
    ...more
  })
const shop = on("shop")
const travel = on("travel")
const calendar = on("calendar")
const files = on("files")
const notes = on("notes")
const home = on("home")

const everyday: ReadonlyArray<Everyday> = [
  shop("Where is my parcel? The order number is 4711.", "order_status", { params: { number: 4711 } }),
  shop("I'd like my money back for order 1288, the vase arrived broken.", "refund", { params: { number: 1288 } }),
  shop("Please cancel order 905, I ordered it by mistake.", "cancel_order", { params: { number: 905 } }),
  shop("Are you open on Sundays?", "opening_hours", { params: {} }),
  shop("Do you have any red tents?", "find_products"),
  shop("Could you tell me what happened to order #3302?", "order_status", { params: { number: 3302 } }),
  shop("Has my order shipped yet?", "order_status", { missing: "number" }),
  shop("Can I get a refund?", "refund", { missing: "number" }),
  shop("I am looking for a kite for my daughter.", "find_products"),
  shop("What time do you close tonight?", "opening_hours", { params: {} }),
  shop("I moved. Send order 77 to 12 Elm Street, Springfield instead.", "change_address"),
  shop("Thank you, you were very kind!", undefined),
  shop("Write me a poem about toys.", undefined),
  shop("I do not want order 640 any more, it has not been sent yet.", "cancel_order", { params: { number: 640 } }),
  travel("Is it warm in Porto?", "weather", { params: { city: "Porto" } }),
  travel("Will it rain in Berlin tomorrow?", "weather", { params: { city: "Berlin" } }),
  travel("Find me a flight from London to Rome on 2026-12-01.", "flights", {
    params: { from: "London", to: "Rome", date: "2026-12-01" }
  }),
  travel("I need to fly from Madrid to Oslo.", "flights", { params: { from: "Madrid", to: "Oslo" } }),
  travel("Where can I stay in Vienna for 3 nights?", "hotels", { params: { city: "Vienna", nights: 3 } }),
  travel("I need a room in Paris.", "hotels", { params: { city: "Paris" } }),
  travel("How much is 250 USD in EUR?", "currency", { params: { amount: 250, from: "USD", to: "EUR" } }),
  travel("Convert 90 euros to yen.", "currency", { params: { amount: 90, from: "euros", to: "yen" } }),
  travel("Do I need an umbrella today?", "weather", { missing: "city" }),
  travel("What is the capital of Australia?", undefined),
  calendar("What do I have on Friday?", "list_events"),
  calendar("What's on my schedule tomorrow?", "list_events"),
  calendar("Put lunch with Anna into my calendar on 5 May at 12:30.", "add_event"),
  calendar("Schedule a dentist appointment for 2026-06-03.", "add_event"),
  calendar("Remind me to call my mother.", "remind", { params: { text: "call my mother" } }),
  calendar("Don't let me forget to water the plants.", "remind"),
  calendar('Delete the event "Team meeting".', "delete_event", { params: { title: "Team meeting" } }),
  calendar("Mail bob@example.com that I will be late.", "send_email", {
    params: { to: "bob@example.com", body: "I will be late" }
  }),
  calendar("Tell me a joke.", undefined),
  calendar("Send an email to kim@example.org saying the report is ready.", "send_email"),
  files("Show me what is in report.txt.", "read_file", { params: { path: "report.txt" } }),
  files("Open notes/todo.md, please.", "read_file", { params: { path: "notes/todo.md" } }),
  files("Get rid of old/draft.docx.", "delete_file", { params: { path: "old/draft.docx" } }),
  files("Remove tmp.log.", "delete_file", { params: { path: "tmp.log" } }),
  files("Which files are there?", "list_files"),
  files('Which files mention "invoice"?', "search_files", { params: { query: "invoice" } }),
  files("Delete the file.", "delete_file", { missing: "path" }),
  files("Who won the game last night?", undefined),
  notes("Note that the key is under the mat.", "add_note", { params: { text: "the key is under the mat" } }),
  notes("Write down: buy milk and eggs", "add_note", { params: { text: "buy milk and eggs" } }),
  notes("What did I write about the wifi password?", "find_notes"),
  notes("Search my notes for birthday ideas.", "find_notes", { params: { query: "birthday ideas" } }),
  notes("What is 12 * (3 + 4)?", "calculate", { params: { expression: "12 * (3 + 4)" } }),
  notes("How much is 15% of 240?", "calculate"),
  notes("What time is it?", "time", { params: {} }),
  notes("Do you like me?", undefined),
  home("Switch on the lights in the kitchen.", "lights", { params: { room: "kitchen", state: "on" } }),
  home("It is dark in the office, turn the light on please.", "lights", { params: { room: "office", state: "on" } }),
  home("Set the heating to 21 degrees.", "heating", { params: { celsius: 21 } }),
  home("Make it 19.5 degrees in here.", "heating", { params: { celsius: 19.5 } }),
  home("Play something by Radiohead.", "play_music", { params: { artist: "Radiohead" } }),
  home("I want to hear Nina Simone.", "play_music", { params: { artist: "Nina Simone" } }),
  home("Turn off the lights.", "lights", { missing: "room" }),
  home("How old are you?", undefined)
]

const isEven = (_: unknown, i: number): boolean => i % 2 === 0

/** Those on which the rules were worked out. */
export const known = everyday.filter(isEven)

/** Those that were looked at only to report how many are right. */
export const heldOut = everyday.filter((one, i) => !isEven(one, i))

const of =
  (tools: keyof typeof otherToolsets) =>
  (message: string, calls: string | undefined, more: Partial<Omit<Other, "tools">> = {}): Other => ({
    tools,
    message,
    calls,
    ...more
  })
const bank = of("bank")
const tasks = of("tasks")
const kitchen = of("kitchen")
const library = of("library")

type Other = Omit<Everyday, "tools"> & { readonly tools: keyof typeof otherToolsets }

/** Messages for other tools, on which the rules were made more general. Before, 15 of the 24 were right. */
export const others: ReadonlyArray<Other> = [
  bank("How much money do I have?", "balance", { params: {} }),
  bank("Send 50 euros to Maria Lopez.", "transfer", { params: { amount: 50, recipient: "Maria Lopez" } }),
  bank("I lost my card!", "block_card", { params: {} }),
  bank("What did I pay for in March?", "list_payments"),
  bank("Transfer 120 to my sister.", "transfer", { missing: "recipient" }),
  bank("Is it going to rain?", undefined),
  tasks("What is left to do?", "list_tasks", { params: {} }),
  tasks('Create a task called "Fix the login page".', "create_task", { params: { title: "Fix the login page" } }),
  tasks("Task 31 is finished.", "complete_task", { params: { id: 31 } }),
  tasks("Give task 12 to Anna.", "assign_task", { params: { id: 12, person: "Anna" } }),
  tasks("Tell me more about task 8.", "get_task", { params: { id: 8 } }),
  tasks("I like working with you.", undefined),
  kitchen("What can I cook with spinach?", "find_recipes", { params: { ingredient: "spinach" } }),
  kitchen("Set a timer for 8 minutes.", "start_timer", { params: { minutes: 8 } }),
  kitchen("How many grams are 3 ounces?", "convert_units", { params: { amount: 3, from: "ounces", to: "grams" } }),
  kitchen("We are out of butter, put it on the shopping list.", "shopping_list_add", { params: { item: "butter" } }),
  kitchen("Wake me up in 10 minutes.", "start_timer", { params: { minutes: 10 } }),
  kitchen("Who invented pizza?", undefined),
  library("Do you have books by Jane Austen?", "search_books"),
  library("I need loan L-2291 for longer.", "renew_loan", { params: { loan_id: "L-2291" } }),
  library("When does the north branch open?", "library_hours", { params: { branch: "north" } }),
  library("Please reserve a book for me.", "reserve_book", { missing: "isbn" }),
  library("Thanks for the help!", undefined),
  library("Tell me a story.", undefined)
]

/** Tools that the rules have never seen. */
export const newToolsets = {
  trains: [
    tool("timetable", "Shows the next trains between two stations", {
      from: text("The station where the journey begins"),
      to: text("The station where it ends")
    }),
    tool("buy_ticket", "Buys a train ticket", {
      from: text("The station where the journey begins"),
      to: text("The station where it ends"),
      passengers: whole("How many people travel")
    }),
    tool("lost_property", "Reports something lost on a train", { description: text("What was lost") }),
    tool("delays", "Tells which trains are late", {})
  ],
  contacts: [
    tool("find_contact", "Finds the phone number and e-mail address of a person", {
      name: text("The name of the person")
    }),
    tool("add_contact", "Adds a person to the contacts", { name: text("The name"), phone: text("The phone number") }),
    tool("remove_contact", "Removes a person from the contacts", { name: text("The name of the person") }),
    tool("call", "Calls a phone number", { phone: text("The phone number") })
  ],
  billing: [
    tool("invoice", "Fetches an invoice", { invoice_number: text("The number of the invoice, such as INV-1") }),
    tool("unpaid", "Lists the invoices that are not paid", {}),
    tool("apply_discount", "Gives a customer a discount", {
      invoice_number: text("The number of the invoice"),
      percent: { type: "number", description: "How many percent" }
    }),
    tool("plan", "Changes the plan of a subscription", { plan: { type: "string", enum: ["basic", "pro", "team"] } })
  ],
  fitness: [
    tool("log_run", "Records a run", { kilometers: { type: "number", description: "How far" } }),
    tool("log_weight", "Records the body weight", { kg: { type: "number", description: "The weight" } }),
    tool("weekly_summary", "Summarizes the training of the week", {}),
    tool("set_goal", "Sets the goal for steps in a day", { steps: whole("How many steps") })
  ]
} satisfies Readonly<Record<string, ReadonlyArray<Tool>>>

type New = Omit<Everyday, "tools"> & { readonly tools: keyof typeof newToolsets }

const among =
  (tools: keyof typeof newToolsets) =>
  (message: string, calls: string | undefined, more: Partial<Omit<New, "tools">> = {}): New => ({
    tools,
    message,
    calls,
    ...more
  })
const trains = among("trains")
const contacts = among("contacts")
const billing = among("billing")
const fitness = among("fitness")

/** Messages that were written last, and looked at only to report how many are right. */
export const blind: ReadonlyArray<New> = [
  trains("When does the next train from Leeds to York leave?", "timetable", { params: { from: "Leeds", to: "York" } }),
  trains("I want two tickets from Hamburg to Berlin.", "buy_ticket", {
    params: { from: "Hamburg", to: "Berlin", passengers: 2 }
  }),
  trains("I left my umbrella on the train this morning.", "lost_property"),
  trains("Are there any late trains today?", "delays", { params: {} }),
  trains("How do I get to Lyon?", "timetable", { missing: "from" }),
  trains("What is your favourite colour?", undefined),
  contacts("What is the number of Peter Miller?", "find_contact", { params: { name: "Peter Miller" } }),
  contacts("Save Anna Schmidt, 555-1234.", "add_contact", { params: { name: "Anna Schmidt", phone: "555-1234" } }),
  contacts("Delete John Brown from my contacts.", "remove_contact", { params: { name: "John Brown" } }),
  contacts("Call 555-9876.", "call", { params: { phone: "555-9876" } }),
  contacts("How can I reach Laura King?", "find_contact", { params: { name: "Laura King" } }),
  contacts("I had a wonderful day.", undefined),
  billing("Send me invoice INV-2044.", "invoice", { params: { invoice_number: "INV-2044" } }),
  billing("Which bills are still open?", "unpaid", { params: {} }),
  billing("Take 15 percent off INV-300.", "apply_discount", { params: { invoice_number: "INV-300", percent: 15 } }),
  billing("Please switch me to the pro plan.", "plan", { params: { plan: "pro" } }),
  billing("I need a copy of my invoice.", "invoice", { missing: "invoice number" }),
  billing("What do you think about politics?", undefined),
  fitness("I ran 7.5 km this morning.", "log_run", { params: { kilometers: 7.5 } }),
  fitness("I weigh 72 kg now.", "log_weight", { params: { kg: 72 } }),
  fitness("How did I do this week?", "weekly_summary", { params: {} }),
  fitness("My goal is 9000 steps.", "set_goal", { params: { steps: 9000 } }),
  fitness("I went for a run today.", "log_run", { missing: "kilometers" }),
  fitness("Sing a song for me.", undefined)
]
