import Model
import NotifierCore
import Web

/// Words beside positions and in sketches, in one language.
struct SketchPhrases: Sendable {
    /// What the drawing is, for screen readers.
    let sketch: String
    /// The letter at the arrow.
    let north: String
    /// Of a position that contradicts the others.
    let doubtful: String
    /// "positions", after their number.
    let positions: String
}

extension Language {
    var sketch: SketchPhrases {
        switch self {
        case .english:
            SketchPhrases(
                sketch: "Sketch of the way", north: "N",
                doubtful: "doubtful: it contradicts the positions before",
                positions: "positions")
        case .malay:
            SketchPhrases(
                sketch: "Lakaran laluan", north: "U",
                doubtful: "diragui: bercanggah dengan kedudukan sebelumnya",
                positions: "kedudukan")
        case .indonesian:
            SketchPhrases(
                sketch: "Sketsa jalan", north: "U",
                doubtful: "diragukan: bertentangan dengan posisi sebelumnya",
                positions: "posisi")
        }
    }
}

/// SVG of a sketch. It needs no script, and its colours come from the page's style sheet.
enum SketchView {
    static func svg(_ sketch: Sketch, _ phrases: SketchPhrases) -> HTML {
        var parts: [HTML] = []
        for zone in sketch.zones { parts.append(shape(of: zone)) }
        parts.append(
            circle("near", at: sketch.newest.point, radius: sketch.accuracy)
        )
        if sketch.trail.count > 1 {
            parts.append("<polyline class=\"way\" points=\"\(points(sketch.trail))\"/>")
        }
        for point in sketch.trail.dropLast(sketch.newest.isSuspect ? 0 : 1) {
            parts.append("<circle class=\"fix\" cx=\"\(point.x)\" cy=\"\(point.y)\" r=\"2\"/>")
        }
        for point in sketch.suspects {
            parts.append("<circle class=\"doubt\" cx=\"\(point.x)\" cy=\"\(point.y)\" r=\"4\"/>")
        }
        let kind = sketch.newest.isSuspect ? "doubt" : "here"
        parts.append(
            circle(kind, at: sketch.newest.point, radius: 7)
        )
        for zone in sketch.zones { parts += label(of: zone) }
        parts += [scale(sketch), north(phrases)]
        return """
            <svg class="sketch" viewBox="0 0 \(Sketch.width) \(Sketch.height)" role="img" \
            aria-label="\(phrases.sketch)">
            \(parts)
            </svg>
            """
    }

    private static func circle(_ kind: String, at point: Sketch.Point, radius: Int) -> HTML {
        "<circle class=\"\(kind)\" cx=\"\(point.x)\" cy=\"\(point.y)\" r=\"\(radius)\"/>"
    }

    private static func shape(of zone: Sketch.ZoneShape) -> HTML {
        let kind = zone.isAlert ? "zone alert" : "zone"
        guard !zone.rings.isEmpty else {
            return
                circle(kind, at: zone.center, radius: zone.radius)
        }
        let path = zone.rings.map { ring in
            "M" + ring.map { "\($0.x) \($0.y)" }.joined(separator: "L") + "Z"
        }.joined()
        return "<path class=\"\(kind)\" fill-rule=\"evenodd\" d=\"\(path)\"/>"
    }

    /// The name of a zone at its middle, if that is in the frame.
    private static func label(of zone: Sketch.ZoneShape) -> [HTML] {
        guard (0...Sketch.width).contains(zone.center.x),
            (0...Sketch.height).contains(zone.center.y)
        else { return [] }
        // Not below the position, which is often in the middle of a zone.
        let above = max(14, zone.center.y - max(12, min(zone.radius - 6, 40)))
        let name = zone.name.count > 24 ? zone.name.prefix(23) + "…" : zone.name
        return ["<text x=\"\(zone.center.x)\" y=\"\(above)\" text-anchor=\"middle\">\(name)</text>"]
    }

    private static func scale(_ sketch: Sketch) -> HTML {
        let (left, bottom) = (12, Sketch.height - 12)
        let text =
            sketch.scaleMetres >= 1000
            ? "\(sketch.scaleMetres / 1000) km" : "\(sketch.scaleMetres) m"
        return """
            <path class="edge" \
            d="M\(left) \(bottom - 5)V\(bottom)H\(left + sketch.scale)V\(bottom - 5)"/>
            <text x="\(left + 4)" y="\(bottom - 8)">\(text)</text>
            """
    }

    private static func north(_ phrases: SketchPhrases) -> HTML {
        let x = Sketch.width - 18
        return """
            <path class="edge" d="M\(x) 40V14M\(x - 5) 21L\(x) 13L\(x + 5) 21"/>
            <text x="\(x)" y="54" text-anchor="middle">\(phrases.north)</text>
            """
    }

    private static func points(_ trail: [Sketch.Point]) -> String {
        trail.map { "\($0.x),\($0.y)" }.joined(separator: " ")
    }
}

/// HTML of positions.
enum SpotView {
    static func whole(
        _ spot: ResponderPage.Spot, map: String, _ phrases: SketchPhrases
    ) -> HTML {
        let doubt: HTML = spot.isSuspect ? "<br><strong>\(phrases.doubtful)</strong>" : ""
        return """
            \(spot.coordinates)<br>\(spot.certainty) (\(spot.age))\(doubt)<br>\
            \(link(spot.map, map))
            """
    }

    static func list(_ spots: [ResponderPage.Spot], _ phrases: SketchPhrases) -> HTML {
        let items = spots.map { spot -> HTML in
            let doubt: HTML = spot.isSuspect ? ", <strong>\(phrases.doubtful)</strong>" : ""
            return "<li>\(link(spot.map, spot.coordinates)), \(spot.certainty)\(doubt)</li>"
        }
        return """
            <details><summary>\(spots.count) \(phrases.positions)</summary>\
            <ul>\(items)</ul></details>
            """
    }

    private static func link(_ address: String, _ label: String) -> HTML {
        "<a href=\"\(address)\" rel=\"noopener noreferrer\">\(label)</a>"
    }
}
