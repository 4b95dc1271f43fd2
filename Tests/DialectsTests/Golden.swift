import Dialects
import Foundation
import Model
import Parsing

/// A recorded request of a client, the reason to keep it, and the expected result.
///
/// A file in `Golden/CLIENT` has three parts, separated by a line `---`:
///
///     # Why: a sentence or two, each line with a number sign.
///     POST /pub?u=anna
///     User-Agent: Owntracks-Android/gms/420500000
///
///     {"_type":"location","lat":52.5,"lon":13.4,"tst":1795170000}
///     ---
///     fix 2026-11-20T10:20:00.000Z 52.5 13.4 periodic
///     ---
///     200
///     []
///
/// The first part is the HTTP request, received at ``received``. The second part is the reading as
/// formatted by ``text(of:)``; it is empty for an empty reading. The third part is the status and
/// body of the answer without friends and settings. The SOS word is `SOS`, and the device's
/// passphrase is `a secret`.
struct Golden: CustomStringConvertible, Sendable {
    static let received = Timestamp("2026-11-20T10:20:05.000Z")!
    static let sosWord = "SOS"
    static let passphrase = "a secret"

    /// The client's folder and the file's name.
    let description: String
    let why: String
    let method: String
    let path: String
    let query: Query
    /// Header names in lower case.
    let headers: [String: String]
    let body: [UInt8]
    let reading: String
    let answer: String

    /// All files of a client, by name.
    static func all(of client: String) -> [Golden] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Golden/\(client)").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".txt") }.sorted().map { name in
            let data = FileManager.default.contents(atPath: folder + "/" + name) ?? Data()
            return Golden("\(client)/\(name)", String(decoding: data, as: UTF8.self))
        }
    }

    private init(_ name: String, _ text: String) {
        description = name
        let parts = text.components(separatedBy: "\n---\n")
        let lines = parts[0].components(separatedBy: "\n")
        let comment = lines.prefix { $0.hasPrefix("#") }
        why = comment.map { $0.dropFirst(2) }.joined(separator: " ")
        let rest = lines.dropFirst(comment.count)
        let start = (rest.first ?? "").split(separator: " ")
        method = start.first.map(String.init) ?? ""
        let address = (start.dropFirst().first ?? "").split(separator: "?", maxSplits: 1)
        path = address.first.map(String.init) ?? ""
        query = Query(encoded: address.dropFirst().first ?? "")
        let head = rest.dropFirst().prefix { !$0.isEmpty }
        headers = head.reduce(into: [:]) { headers, line in
            let pair = line.components(separatedBy: ": ")
            headers[pair[0].lowercased()] = pair.dropFirst().joined(separator: ": ")
        }
        body = Array(rest.dropFirst(head.count + 2).joined(separator: "\n").utf8)
        reading = parts.count > 1 ? parts[1] : ""
        answer = parts.count > 2 ? parts[2].trimmingCharacters(in: .newlines) : ""
    }

    /// One line per decoded element, in a fixed order. Unknown values are omitted.
    static func text(of reading: Reading) -> String {
        var lines = reading.observations.map { "fix \(text(of: $0))" }
        lines += reading.panics.map { panic in
            "panic raised=\(panic.raised)" + (panic.fix.map { " at \(text(of: $0))" } ?? "")
                + (panic.battery.map { " battery=\($0)" } ?? "")
                + (panic.messageID.map { " id=\($0)" } ?? "") + (panic.isTag ? " tag" : "")
        }
        lines += reading.rejections.map { "rejected \($0.index) \($0.reason.rawValue)" }
        if let mark = reading.policyMark { lines.append("policy \(mark)") }
        return (lines + text(of: reading.status)).joined(separator: "\n")
    }

    private static func text(of status: DeviceStatus) -> [String] {
        var lines: [String] = []
        if let impairments = status.impairments {
            lines.append((["impairments"] + impairments.map(\.rawValue)).joined(separator: " "))
        }
        lines += status.zones.map { zone in
            "zone \(zone.center.latitude) \(zone.center.longitude) radius=\(zone.radiusMetres)"
                + " key=\(zone.key) name=\(zone.name)"
        }
        if let card = status.card {
            lines.append(
                "card" + (card.avatar.map { " face=\($0.count)" } ?? "")
                    + (card.keepsAvatar ? " face stays" : "")
                    + (card.name.map { " name=\($0)" } ?? ""))
        }
        if let pressed = status.pressed { lines.append("pressed \(pressed)") }
        if let monitoring = status.monitoring {
            lines.append("monitoring \(monitoring.mode) said=\(monitoring.time)")
        }
        if let battery = status.battery {
            lines.append(
                "battery" + (battery.percent.map { " \($0)" } ?? "")
                    + (battery.charging.map { " charging=\($0)" } ?? "") + " at \(battery.time)")
        }
        if status.isEncrypted { lines.append("sealed") }
        if status.isReply { lines.append("reply") }
        if status.isTagged == true { lines.append("tagged") }
        if status.isLastWill { lines.append("last will") }
        return lines
    }

    private static func text(of observation: Observation) -> String {
        var text = text(of: observation.fix) + " \(observation.trigger)"
        if let battery = observation.battery { text += " battery=\(battery)" }
        if let charging = observation.charging { text += " charging=\(charging)" }
        if let id = observation.messageID { text += " id=\(id)" }
        if observation.altitudeAccuracyMetres > 0 {
            text += " vac=\(observation.altitudeAccuracyMetres)"
        }
        return text
    }

    private static func text(of fix: Fix) -> String {
        var text = "\(fix.time) \(fix.position.latitude) \(fix.position.longitude)"
        func add(_ name: String, _ hundredths: Int32?) {
            if let hundredths { text += " \(name)=\(Double(hundredths) / 100)" }
        }
        add("accuracy", fix.accuracyCentimetres > 0 ? fix.accuracyCentimetres : nil)
        add("altitude", fix.altitudeCentimetres)
        add("speed", fix.speedCentimetresPerSecond)
        if let course = fix.courseDegrees { text += " course=\(course)" }
        return text
    }
}
