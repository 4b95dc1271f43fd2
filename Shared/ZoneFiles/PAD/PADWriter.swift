import Model

/// Writes PAD in UTF-8, one zone after another.
///
/// Notes report what PAD cannot represent. A zone with several parts becomes several zones, and
/// holes are filled.
enum PADWriter {
    static func write(_ drafts: [ZoneDraft]) -> (bytes: [UInt8], notes: [FileNote]) {
        var writer = Output()
        for (index, draft) in drafts.enumerated() { writer.write(draft, number: index + 1) }
        return (Array(writer.text.utf8), writer.notes)
    }

    private struct Output {
        var text = ""
        var notes: [FileNote] = []

        mutating func write(_ draft: ZoneDraft, number: Int) {
            func note(_ text: String) { notes.append(FileNote("zone \(number): \(text)")) }
            var plain = draft
            let name = PADWriter.cell(draft.name)
            if name != draft.name.withoutBlanks {
                note("a comma or line break in its name was replaced")
            }
            plain.name = name.isEmpty ? "Zone \(number)" : name
            plain.category = PADWriter.cell(draft.category)
            plain.alarm.sound = PADWriter.cell(draft.alarm.sound)
            if plain.category != draft.category.withoutBlanks
                || plain.alarm.sound != draft.alarm.sound.withoutBlanks
            {
                note("a comma or line break in its category or sound was replaced")
            }
            for loss in PADWriter.losses(of: draft) { note(loss) }
            let parts = PADWriter.parts(of: draft.shape)
            if parts.count > 1 { note("it became \(parts.count) zones, one per part") }
            for (index, part) in parts.enumerated() {
                var piece = plain
                if parts.count > 1 { piece.name += " (\(index + 1))" }
                write(piece, part)
            }
        }

        private mutating func write(_ draft: ZoneDraft, _ part: Part) {
            row(.start, "")
            row(.name, draft.name)
            if !draft.category.isEmpty { row(.category, draft.category) }
            row(.active, draft.active ? "1" : "0")
            row(.vibrate, draft.alarm.vibrates ? "1" : "0")
            row(.priority, String(draft.priority))
            row(.sleepTime, String(draft.alarm.sleepSeconds))
            if let size = part.size { row(.size, Decimal.metres(size)) }
            if draft.insetCentimetres != 0 { row(.inset, Decimal.metres(draft.insetCentimetres)) }
            if draft.alertDistanceMetres > 0 {
                row(.alertDistance, String(draft.alertDistanceMetres))
            }
            if !draft.alarm.sound.isEmpty { row(.soundName, draft.alarm.sound) }
            for extra in draft.extra where PADWriter.isUnknownRow(extra) { text += extra + "\n" }
            for (index, point) in part.points.enumerated() {
                row(
                    .location,
                    "\(index + 1),\(Decimal.degrees(e7: point.latitudeE7)),"
                        + Decimal.degrees(e7: point.longitudeE7))
            }
            row(.end, "")
        }

        private mutating func row(_ key: PADKey, _ value: String) {
            text += "\(key.rawValue),\(value)\n"
        }
    }

    /// Geometry of one PAD zone: its points, and a size if there are at most two.
    private struct Part {
        var points: [Coordinate]
        var size: Int32?
    }

    private static func parts(of shape: ZoneShape) -> [Part] {
        switch shape {
        case .circle(let center, let radius): [Part(points: [center], size: radius)]
        case .corridor(let line, let halfWidth):
            zip(line, line.dropFirst()).map { Part(points: [$0, $1], size: halfWidth) }
        case .polygons(let polygons): polygons.map { Part(points: $0.outer, size: nil) }
        }
    }

    /// Describes what PAD cannot represent of a zone.
    private static func losses(of draft: ZoneDraft) -> [String] {
        var losses: [String] = []
        if !draft.kind.rules.alarms {
            losses.append("it is a safe zone, but PAD has only alert zones")
        }
        if case .polygons(let polygons) = draft.shape,
            polygons.contains(where: { !$0.holes.isEmpty })
        {
            losses.append("its holes were filled")
        }
        let plain = ZoneDraft(name: "", shape: draft.shape)
        var lost: [String] = []
        if !draft.extra.allSatisfy(isUnknownRow) { lost.append("extra rows") }
        if draft.hysteresisMetres != plain.hysteresisMetres { lost.append("hysteresis") }
        if draft.transitions != nil { lost.append("transitions") }
        if draft.dwellSeconds != plain.dwellSeconds { lost.append("dwell") }
        if draft.alarm.cycleSeconds != plain.alarm.cycleSeconds { lost.append("alarm cycle") }
        if draft.alarm.raisesEmergency { lost.append("emergency") }
        if !lost.isEmpty {
            losses.append("PAD cannot represent its " + lost.joined(separator: ", "))
        }
        return losses
    }

    /// Whether a row can be written back unchanged: a single line with an unknown key.
    private static func isUnknownRow(_ text: String) -> Bool {
        let row = try? PADRow(ArraySlice(text.utf8), number: 1)
        return row?.text == text && row.map { PADKey(rawValue: $0.key) } == .some(nil)
    }

    /// Replaces characters that separate values or lines, and trims blanks.
    private static func cell(_ text: String) -> String {
        var words = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isBreak =
                scalar.properties.generalCategory == .control
                || scalar == "\u{2028}" || scalar == "\u{2029}"
            words.append(scalar == "," ? ";" : isBreak ? " " : scalar)
        }
        return String(words).withoutBlanks
    }
}
