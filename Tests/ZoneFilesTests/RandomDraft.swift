import Model
import ZoneFiles

/// Random zones whose fields can all be represented by a file format.
enum RandomDraft {
    private static let letters = Array("aZ9 äß€漢🏝️“'\"#=+-;:/\\|")

    /// Fields that PAD can represent.
    static func alert(using random: inout some RandomNumberGenerator) -> ZoneDraft {
        ZoneDraft(
            name: words(1, using: &random), kind: .alert, category: words(0, using: &random),
            active: .random(using: &random),
            priority: Int(Int16.random(in: .min ... .max, using: &random)),
            shape: shape(using: &random),
            insetCentimetres: .random(in: -100_000...100_000, using: &random),
            alertDistanceMetres: max(0, .random(in: -1000...10_000, using: &random)),
            alarm: ZoneAlarm(
                vibrates: .random(using: &random), sound: words(0, using: &random),
                sleepSeconds: .random(in: 0...90_000, using: &random)),
            extra: (0..<Int.random(in: 0...3, using: &random)).map { _ in
                "X" + words(0, using: &random) + "," + words(1, using: &random)
            })
    }

    /// Fields that only GeoJSON can represent.
    static func any(using random: inout some RandomNumberGenerator) -> ZoneDraft {
        var draft = alert(using: &random)
        draft.name += ", \n."
        draft.kind = ZoneKind.allCases.randomElement(using: &random)!
        draft.hysteresisMetres = .random(in: 0...1000, using: &random)
        draft.transitions =
            Bool.random(using: &random)
            ? nil : Transition.allCases.filter { _ in .random(using: &random) }
        draft.dwellSeconds = .random(in: 0...90_000, using: &random)
        draft.alarm.cycleSeconds = .random(in: 10...1000, using: &random)
        if case .polygons(let polygons) = draft.shape {
            let more = (0..<Int.random(in: 0...2, using: &random)).map { _ in
                Polygon(outer: points(3, using: &random), holes: [points(4, using: &random)])
            }
            draft.shape = .polygons(polygons + more)
        }
        return draft
    }

    private static func words(
        _ countMin: Int, using random: inout some RandomNumberGenerator
    ) -> String {
        let count = Int.random(in: countMin...8, using: &random)
        let inner = (0..<count).map { _ in letters.randomElement(using: &random)! }
        return count == 0 ? "" : "b" + String(inner) + "e"
    }

    private static func shape(using random: inout some RandomNumberGenerator) -> ZoneShape {
        let size = Int32.random(in: 1...25_000_000, using: &random)
        switch Int.random(in: 0...2, using: &random) {
        case 0: return .circle(center: points(1, using: &random)[0], radiusCentimetres: size)
        case 1:
            return .corridor(line: points(2, using: &random), halfWidthCentimetres: size)
        default:
            let count = Int.random(in: 3...12, using: &random)
            return .polygons([Polygon(outer: points(count, using: &random))])
        }
    }

    private static func points(
        _ count: Int, using random: inout some RandomNumberGenerator
    ) -> [Coordinate] {
        (0..<count).map { _ in
            Coordinate(
                latitudeE7: .random(in: -900_000_000...900_000_000, using: &random),
                longitudeE7: .random(in: -1_800_000_000...1_800_000_000, using: &random))
        }
    }
}
