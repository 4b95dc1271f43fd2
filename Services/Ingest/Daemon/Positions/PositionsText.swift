import IngestCore
import Model
import Parsing
import Web

/// The last positions of a circle as GeoJSON: one Feature per member, without geometry if the
/// location is hidden. Written without a JSON tree, because large circles are read often.
struct PositionsText {
    private var text = TextBuffer()

    static func response(_ members: [MemberPosition]) -> Response {
        var positions = PositionsText()
        positions.text.reserve(64 + members.count * 400)
        positions.text.append(#"{"type":"FeatureCollection","features":["#)
        for (place, member) in members.enumerated() {
            if place > 0 { positions.text.append(",") }
            positions.append(member)
        }
        positions.text.append("]}")
        return Response(
            status: 200, headers: ["Content-Type": "application/geo+json"],
            body: positions.text.popBytes())
    }

    private mutating func append(_ member: MemberPosition) {
        let person = member.person.description
        text.append(#"{"type":"Feature","id":""#)
        text.append(person)
        if let position = member.fix?.position {
            text.append(#"","geometry":{"type":"Point","coordinates":["#)
            text.append(numberE7: position.longitudeE7)
            text.append(",")
            text.append(numberE7: position.latitudeE7)
            text.append(#"]},"properties":{"person":""#)
        } else {
            text.append(#"","geometry":null,"properties":{"person":""#)
        }
        text.append(person)
        text.append(#"","name":"#)
        text.append(quoted: member.name)
        add("state", text: member.state.rawValue)
        add("precision", text: member.precision.rawValue)
        if let zone = member.zoneName { add("zone", text: zone) }
        addCondition(of: member)
        if let fix = member.fix { add(fix) }
        text.append("}}")
    }

    private mutating func addCondition(of member: MemberPosition) {
        if let end = member.pausedUntil { add("pausedUntil", end) }
        if let age = member.ageSeconds { add("ageSeconds", age) }
        if let state = member.contactState { add("contactState", text: state.rawValue) }
        if let since = member.contactLostSince { add("silentSince", since) }
        if let battery = member.battery { add("battery", Int64(battery)) }
        if let charging = member.charging { add("charging", charging) }
        if !member.impairments.isEmpty {
            open("impairments")
            let reasons = member.impairments.map { "\"\($0.rawValue)\"" }
            text.append("[\(reasons.joined(separator: ","))]")
        }
        if let isMoving = member.isMoving { add("moving", isMoving) }
    }

    private mutating func add(_ fix: Fix) {
        add("time", fix.time)
        if fix.accuracyCentimetres > 0 { add("accuracy", hundredths: fix.accuracyCentimetres) }
        if let altitude = fix.altitudeCentimetres { add("altitude", hundredths: altitude) }
        if let speed = fix.speedCentimetresPerSecond { add("speed", hundredths: speed) }
        if let course = fix.courseDegrees { add("course", Int64(course)) }
    }

    private mutating func open(_ name: String) {
        text.append(",\"")
        text.append(name)
        text.append("\":")
    }

    private mutating func add(_ name: String, text value: String) {
        open(name)
        text.append(quoted: value)
    }

    private mutating func add(_ name: String, _ value: Int64) {
        open(name)
        text.append(value)
    }

    private mutating func add(_ name: String, _ value: Bool) {
        open(name)
        text.append(value ? "true" : "false")
    }

    private mutating func add(_ name: String, hundredths value: Int32) {
        open(name)
        text.append(numberHundredths: value)
    }

    private mutating func add(_ name: String, _ time: Timestamp) {
        open(name)
        text.append("\"")
        text.append(time)
        text.append("\"")
    }
}
