import Model

/// Progress line on a terminal.
struct ProgressBar {
    private let total: Int
    private let began: Timestamp
    private var shown = Timestamp.zero

    /// Minimum time between updates.
    static let pause = Duration.milliseconds(100)

    init(total: Int, at now: Timestamp) {
        self.total = total
        began = now
    }

    /// Redraws the line, at most every ``pause``.
    mutating func show(_ done: Int, left seconds: Double, at now: Timestamp) {
        guard Console.isTerminal, now - shown >= ProgressBar.pause || done == total else { return }
        shown = now
        let text = line(done, left: seconds, at: now, columns: Console.columns)
        Console.writeAsIs("\r\u{1B}[2K" + text)
    }

    /// Ends the line.
    func finish() {
        if Console.isTerminal { Console.write("\n") }
    }

    /// The line `[=====>    ]  45 %  1204/2680  12/s  0:42 left`, with a maximum width.
    func line(_ done: Int, left seconds: Double, at now: Timestamp, columns: Int) -> String {
        let elapsed = max(0.001, Double((now - began).milliseconds) / 1000)
        let rate = Int(nearest: Double(done) / elapsed)
        let whole = Int(nearest: seconds, .up)
        let pad = whole % 60 < 10 ? "0" : ""
        let percent = total > 0 ? done * 100 / total : 100
        let words =
            " \(percent) %  \(done)/\(total)  \(rate)/s  \(whole / 60):\(pad)\(whole % 60) left"
        let room = max(3, min(40, columns - words.count - 3))
        let filled = total > 0 ? done * room / total : room
        let head = filled < room ? ">" : ""
        let bar = String(repeating: "=", count: filled) + head
        return "[" + bar + String(repeating: " ", count: room - bar.count) + "]" + words
    }
}
