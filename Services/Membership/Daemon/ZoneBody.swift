import Geometry
import MembershipCore
import Model
import Parsing
import Runtime
import Web
import ZoneFiles

/// Parses a zone: a GeoJSON Feature (RFC 7946) with a Point and a radius, a LineString and a
/// half-width, a Polygon or a MultiPolygon.
struct ZoneBody {
    /// The stored zone; nil for a new one.
    private let old: Zone?
    private let clocks: ZoneClocks
    private let shapes: PreparedShapes
    private let properties: Fields

    static let knownProperties = [
        "name", "kind", "category", "active", "priority", "radius", "halfWidth", "inset",
        "hysteresis",
        "alertDistance", "dwell", "timeZone", "schedule", "absentBy", "transitions", "alarm",
        "audience", "messages", "extra",
    ]

    /// - Parameters:
    ///   - isNew: whether all required fields must be present
    ///   - old: the zone to change, whose shape a new inset applies to
    ///   - shapes: prepares the zone's shape
    static func read(
        _ json: JSON, isNew: Bool, before old: Zone? = nil, clocks: ZoneClocks,
        shapes: PreparedShapes = .direct
    ) throws(Problem) -> ZonePatch {
        let feature = try Fields(
            json, known: ["type", "geometry", "properties"], readOnly: ["id", "bbox"])
        guard try feature.text("type") == "Feature" else {
            throw feature.invalid("type", "a zone must be a GeoJSON Feature", #"use "Feature""#)
        }
        let properties = try Fields(
            feature.value("properties") ?? .object([]), at: "properties", known: knownProperties,
            readOnly: ["circle", "person", "set", "version"])
        let body = ZoneBody(
            old: old, clocks: clocks, shapes: shapes, properties: properties)
        var patch = try body.patch()
        if isNew, patch.name == nil { throw properties.missing("name", "such as Home") }
        if isNew, feature.value("geometry") == nil {
            throw feature.missing("geometry", "a Point, LineString, Polygon or MultiPolygon")
        }
        patch.drawing = try body.drawing(feature.value("geometry"))
        return patch
    }

    private func patch() throws(Problem) -> ZonePatch {
        var patch = ZonePatch()
        patch.name = try properties.plainText("name", charactersMax: Limits.nameCharactersMax)
        patch.kind = try properties.choice("kind", ZoneKind.self)
        patch.category = try properties.plainText(
            "category", charactersMax: Limits.categoryCharactersMax, emptyAllowed: true)
        patch.active = try properties.flag("active")
        patch.priority = try properties.integer("priority", in: 0...Limits.zonePriorityMax)
        patch.hysteresisMetres = try properties.integer(
            "hysteresis", in: 0...Limits.hysteresisMetresMax)
        patch.transitions = try properties.choices("transitions", Transition.self)
        patch.alertDistanceMetres = try properties.integer(
            "alertDistance", in: 0...Limits.alertDistanceMetresMax)
        patch.dwellSeconds = try properties.integer("dwell", in: 0...Limits.dwellSecondsMax)
        try readTimes(&patch)
        patch.alarm = try alarm()
        patch.audience = try audience()
        patch.messages = try messages()
        patch.extra = try extra()
        return patch
    }

    // MARK: Times

    private func readTimes(_ patch: inout ZonePatch) throws(Problem) {
        do throws(FileError) {
            let times = try ZoneTimes(
                properties.members(ZoneTimes.names), at: properties.path)
            if properties.contains("schedule") { patch.schedule = .some(times.schedule) }
            if properties.contains("absentBy") {
                patch.absentByMinute = .some(times.absentByMinute)
            }
            patch.clock = try times.clock(clocks.clock, nearest: clocks.folder.nearest)
        } catch {
            throw .invalid(
                error.message, field: error.location?.description, hint: error.hint)
        }
    }

    // MARK: Alarm and audience

    private func alarm() throws(Problem) -> ZonePatch.Alarm {
        var alarm = ZonePatch.Alarm()
        guard let value = properties.value("alarm") else { return alarm }
        let fields = try Fields(
            value, at: properties.path("alarm"), known: ["vibrate", "sound", "cycle", "sleep"])
        alarm.vibrates = try fields.flag("vibrate")
        alarm.sound = try fields.plainText(
            "sound", charactersMax: Limits.soundCharactersMax, emptyAllowed: true)
        alarm.cycleSeconds = try fields.integer("cycle", in: Limits.alarmCycleSeconds)
        alarm.sleepSeconds = try fields.integer("sleep", in: Limits.alarmSleepSeconds)
        return alarm
    }

    private func audience() throws(Problem) -> ZoneAudience?? {
        guard let value = properties.value("audience") else {
            return properties.contains("audience") ? .some(nil) : nil
        }
        let fields = try Fields(
            value, at: properties.path("audience"), known: ["roles", "people"])
        return ZoneAudience(
            roles: try fields.choices("roles", Role.self) ?? [],
            people: try fields.ids(
                "people", PersonID.self, countMax: Limits.audiencePeopleMax) ?? [])
    }

    private func messages() throws(Problem) -> [MessageID]? {
        try properties.ids("messages", MessageID.self, countMax: Limits.messagesPerZoneMax)?
            .sorted()
    }

    private func extra() throws(Problem) -> [String]? {
        guard let values = try properties.array("extra", countMax: Limits.extraRowsMax) else {
            return nil
        }
        var rows: [String] = []
        for (index, value) in values.enumerated() {
            guard let row = value.string,
                row.unicodeScalars.count <= Limits.extraCharactersMax,
                row.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 })
            else {
                throw .invalid(
                    "not a row of a zone file",
                    field: "\(properties.path("extra"))[\(index)]",
                    hint: "use one line of at most \(Limits.extraCharactersMax) characters")
            }
            rows.append(row)
        }
        return rows
    }

    // MARK: Shape

    /// Returns nil if the body has neither a shape nor a measure of one.
    private func drawing(_ geometry: JSON?) throws(Problem) -> ZonePatch.Drawing? {
        let radius = try centimetres("radius")
        let halfWidth = try centimetres("halfWidth")
        let inset = try insetCentimetres()
        if let geometry {
            let reader = try GeometryReader(geometry)
            let shape = try reader.shape(
                radiusCentimetres: radius, halfWidthCentimetres: halfWidth)
            return try drawing(shape, inset: inset, reader: reader)
        }
        guard radius != nil || halfWidth != nil || inset != nil else { return nil }
        return try drawing(try oldShape(radius, halfWidth), inset: inset, reader: nil)
    }

    /// The stored shape with a new measure.
    private func oldShape(_ radius: Int32?, _ halfWidth: Int32?) throws(Problem) -> ZoneShape {
        switch (old?.shape, radius, halfWidth) {
        case (.circle(let center, _)?, let radius?, nil):
            return .circle(center: center, radiusCentimetres: radius)
        case (.corridor(let line, _)?, nil, let halfWidth?):
            return .corridor(line: line, halfWidthCentimetres: halfWidth)
        case (let shape?, nil, nil): return shape
        case (_, .some, _):
            throw properties.invalid("radius", "a radius requires a Point", "set both")
        case (_, _, .some):
            throw properties.invalid("halfWidth", "a half-width requires a LineString", "set both")
        case (nil, nil, nil):
            throw properties.invalid("inset", "an inset requires a shape", "set the geometry")
        }
    }

    private func drawing(
        _ shape: ZoneShape, inset: Int32?, reader: GeometryReader?
    ) throws(Problem) -> ZonePatch.Drawing {
        let inset = inset ?? old?.insetCentimetres ?? 0
        do {
            let prepared = try shapes.prepare(shape, insetCentimetres: inset)
            return ZonePatch.Drawing(shape: shape, insetCentimetres: inset, prepared: prepared)
        } catch {
            switch error {
            case .fault(let fault): throw problem(fault, reader, isInset: inset != 0)
            // Never sent: the request is parsed again once the shape is prepared.
            case .missing: throw .unavailable("the shape is being checked")
            case .overBudget:
                throw .invalid(
                    "the shapes of this request take too long to check", field: "geometry",
                    hint: "use fewer points, or send fewer zones per request")
            }
        }
    }

    /// A length in centimetres. Its range is checked with the shape.
    private func centimetres(_ name: String) throws(Problem) -> Int32? {
        guard let value = properties.value(name) else { return nil }
        guard let metres = value.double, let centimetres = Int32(exactly: (metres * 100).rounded())
        else {
            throw properties.invalid(name, "not a number of metres", "such as 150")
        }
        return centimetres
    }

    private func insetCentimetres() throws(Problem) -> Int32? {
        let inset = try centimetres("inset")
        guard abs(Double(inset ?? 0)) <= Limits.insetMetresMax * 100 else {
            throw properties.invalid(
                "inset", "the inset is larger than \(Int(Limits.insetMetresMax)) m",
                "use positive metres to shrink a zone, negative to grow it")
        }
        return inset
    }

    /// The problem with the JSON path and the position on the map.
    private func problem(
        _ fault: GeometryProblem, _ reader: GeometryReader?, isInset: Bool
    ) -> Problem {
        let field: String
        switch fault {
        case .radiusTooSmall, .radiusTooLarge: field = properties.path("radius")
        case .halfWidthTooSmall, .halfWidthTooLarge: field = properties.path("halfWidth")
        case .insetTooLarge: field = properties.path("inset")
        case .outlineTooLong where isInset, .tooManyPieces where isInset:
            field = properties.path("inset")
        case .tooFewPoints(_, let polygon, let ring, _):
            field = reader?.path(polygon: polygon, ring: ring) ?? GeometryReader.path
        default:
            field =
                fault.position.flatMap {
                    reader?.path(polygon: $0.polygon, ring: $0.ring, vertex: $0.vertex)
                } ?? GeometryReader.path
        }
        let place = fault.coordinate.map {
            " (at longitude \($0.longitude), latitude \($0.latitude))"
        }
        return .invalid(fault.description + (place ?? ""), field: field, hint: fault.hint)
    }
}
