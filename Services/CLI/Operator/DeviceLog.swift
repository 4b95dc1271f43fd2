import Glibc
import Model
import Parsing
import Web

/// `jaga device log`: shows what the server received from a phone, and what it decided.
struct DeviceLog {
    let api: API
    let device: String

    static let pauseSeconds: UInt32 = 2

    private var path: String { "/v1/devices/\(API.pathPart(device))/log" }

    /// Prints entries, oldest first; with `--follow`, then new ones.
    func show(_ call: Call) throws {
        let limit = try call.number("--limit", default: 50, in: 1...10_000)
        var since = try call.moment("--since", now: Timestamp(seconds: Int64(time(nil))))
        var shown: Set<String> = []
        while true {
            let query = since.map { "?since=" + Percent.encode($0.description) } ?? ""
            let entries = try api.list(path + query, limit: limit).reversed()
            for entry in entries where shown.insert(DeviceLog.name(of: entry)).inserted {
                Console.print(call.has("--json") ? entry.text : DeviceLog.line(for: entry))
                since = entry["until"]?.string.flatMap { Timestamp($0) } ?? since
            }
            if entries.isEmpty, shown.isEmpty, !call.has("--json") {
                Console.print("No entries in this period.")
            }
            guard call.has("--follow") else { return }
            // Only entries of the last moment can be repeated.
            if shown.count > 10_000 { shown = Set(entries.map(DeviceLog.name)) }
            sleep(DeviceLog.pauseSeconds)
        }
    }

    /// Identifies an entry. An entry that has grown is shown again.
    private static func name(of entry: JSON) -> String {
        entry.cell("id") + " " + entry.cell("count")
    }

    /// Renders an entry, such as `10:19:58 owntracks-ios 200 accepted 1: 12 m, 8 s old, periodic`.
    static func line(for entry: JSON) -> String {
        var words = [
            entry.cell("until"), entry["client"]?.string?.onOneLine ?? "-", entry.cell("status"),
            entry.cell("outcome"),
        ]
        if let reason = entry["reason"]?.string { words.append("(\(reason.onOneLine))") }
        let times = entry["count"]?.int ?? 1
        if times > 1 { words.append("\(times) times since \(entry.cell("time"))") }
        let parts = [counts(of: entry), fix(of: entry), events(of: entry)].filter { !$0.isEmpty }
        return words.joined(separator: " ")
            + (parts.isEmpty ? "" : ": " + parts.joined(separator: "; "))
    }

    private static func counts(of entry: JSON) -> String {
        let names = [
            ("accepted", "accepted"), ("duplicates", "duplicate"), ("late", "late"),
            ("clockSkew", "from the future"), ("waiting", "waiting"),
            ("quarantined", "quarantined"),
            ("dropped", "dropped for lack of space"),
        ]
        var parts = names.compactMap { key, word in
            let count = entry["reports"]?[key]?.int ?? 0
            return count == 0 ? nil : "\(count) \(word)"
        }
        let calls = entry["calls"]?.int ?? 0
        if calls > 0 {
            parts.append(calls == 1 ? "1 emergency request" : "\(calls) emergency requests")
        }
        return parts.joined(separator: ", ")
    }

    private static func fix(of entry: JSON) -> String {
        guard let fix = entry["fix"], fix != .null else { return "" }
        var parts = [fix.cell("trigger")]
        if let age = fix["ageSeconds"]?.double {
            let seconds = Int(nearest: age)
            parts.append(seconds < 0 ? "\(-seconds) s ahead" : "\(seconds) s old")
        }
        if let accuracy = fix["accuracy"]?.double {
            parts.append("within \(Int(nearest: accuracy)) m")
        }
        if let battery = fix["battery"]?.int { parts.append("battery \(battery) %") }
        return parts.joined(separator: ", ")
    }

    private static func events(of entry: JSON) -> String {
        (entry["events"]?.array ?? []).map { "\($0.cell("kind")) \($0.cell("id"))" }
            .joined(separator: ", ")
    }
}
