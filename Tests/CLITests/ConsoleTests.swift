import Testing

@testable import JagaCLI

@Suite struct `A console` {
    @Test func `aligns columns regardless of colours`() {
        let green = Console.paint("ready", .green, if: true)
        #expect(green == "\u{1B}[32mready\u{1B}[0m")
        #expect(Console.width(of: green) == 5)
        #expect(Console.width(of: "ö·x") == 3)
        var table = Table("service", "state", "up for")
        table.add("ingest", green, "8 s")
        table.add("timer", "not ready", "")
        #expect(
            table.lines == [
                "service  state      up for", "ingest   \(green)      8 s", "timer    not ready  ",
            ])
    }
}
