import Model
import Parsing

/// Properties of a Feature: a zone's fields with their names in the HTTP API.
struct GeoJSONProperties {
    private static let known: Set<String> = [
        "name", "kind", "category", "active", "priority", "radius", "halfWidth", "width",
        "hysteresis", "transitions", "inset", "alertDistance", "dwell", "alarm", "extra",
    ]
    /// Fields that are not part of a draft. The caller reads them.
    private static let others: Set<String> = ["timeZone", "schedule", "absentBy", "audience"]
    /// Fields that the API writes, but that are ignored in a file.
    private static let ignored: Set<String> = ["id", "circle", "person", "set", "version"]

    private let members: [JSON.Member]
    private let path: String

    init(_ json: JSON, at path: String) throws(FileError) {
        guard let members = json.object else {
            throw GeoJSONReader.fault(.value, path, "this is not an object")
        }
        self.members = members
        self.path = path
    }

    func path(_ name: String) -> String { path + "." + name }

    /// Names that are not a zone's fields, in order.
    var unknown: [String] {
        members.map(\.key).filter {
            !GeoJSONProperties.known.contains($0) && !GeoJSONProperties.ignored.contains($0)
                && !GeoJSONProperties.others.contains($0)
        }
    }

    /// The fields that are not part of a draft, unchanged.
    var rest: [JSON.Member] {
        members.filter { GeoJSONProperties.others.contains($0.key) && !$0.value.isNull }
    }

    func apply(to draft: inout ZoneDraft) throws(FileError) {
        if let name = try text("name"), !name.isEmpty { draft.name = name }
        draft.kind = try choice("kind") ?? draft.kind
        draft.category = try text("category") ?? draft.category
        draft.active = try flag("active") ?? draft.active
        draft.priority = try integer("priority", in: -1_000_000...1_000_000) ?? draft.priority
        draft.hysteresisMetres = try integer("hysteresis") ?? draft.hysteresisMetres
        if let transitions = try list("transitions") {
            var known: [Transition] = []
            for (index, value) in transitions.enumerated() {
                guard let transition = value.string.flatMap(Transition.init) else {
                    throw unknownValue("transitions[\(index)]", Transition.self)
                }
                if !known.contains(transition) { known.append(transition) }
            }
            draft.transitions = known
        }
        draft.insetCentimetres = try centimetres("inset") ?? draft.insetCentimetres
        draft.alertDistanceMetres = try integer("alertDistance") ?? draft.alertDistanceMetres
        draft.dwellSeconds = try integer("dwell") ?? draft.dwellSeconds
        if let alarm = try value("alarm") {
            try GeoJSONProperties(alarm, at: path("alarm")).apply(to: &draft.alarm)
        }
        for (index, value) in (try list("extra") ?? []).enumerated() {
            guard let row = value.string else { throw wrong("extra[\(index)]", "not a text") }
            draft.extra.append(row)
        }
    }

    /// Applies these properties as the members of `alarm`.
    private func apply(to alarm: inout ZoneAlarm) throws(FileError) {
        alarm.vibrates = try flag("vibrate") ?? alarm.vibrates
        alarm.sound = try text("sound") ?? alarm.sound
        alarm.cycleSeconds = try integer("cycle") ?? alarm.cycleSeconds
        alarm.sleepSeconds = try integer("sleep") ?? alarm.sleepSeconds
    }

    /// A radius or half-width in centimetres, greater than 0.
    func size(_ name: String) throws(FileError) -> Int32? {
        guard let size = try centimetres(name) else { return nil }
        guard size > 0 else {
            throw GeoJSONReader.fault(
                .range, path(name), "this is not greater than 0", hint: "Give metres.")
        }
        return size
    }

    /// Half-width of a corridor in centimetres.
    func halfWidth() throws(FileError) -> Int32? {
        let half = try size("halfWidth")
        guard let width = try size("width") else { return half }
        guard half == nil else {
            throw GeoJSONReader.fault(
                .duplicate, path("width"), "both width and halfWidth are given",
                hint: "Remove one of them.")
        }
        return max(1, (width + 1) / 2)
    }

    /// Reports a size that the geometry cannot have.
    func fault(_ code: FileError.Code, _ name: String) -> FileError {
        let isRadius = name == "radius"
        return GeoJSONReader.fault(
            code, path(name),
            isRadius ? "only a Point has a radius" : "only a LineString has a width",
            hint: "Remove it.")
    }

    private func value(_ name: String) throws(FileError) -> JSON? {
        let values = members.filter { $0.key == name }
        guard values.count < 2 else {
            throw GeoJSONReader.fault(
                .duplicate, path(name), "this property occurs twice", hint: "Remove one of them.")
        }
        return values.first { !$0.value.isNull }?.value
    }

    private func wrong(_ name: String, _ problem: String) -> FileError {
        GeoJSONReader.fault(
            .value, path(name), "this is \(problem)", hint: "Correct or remove it.")
    }

    private func text(_ name: String) throws(FileError) -> String? {
        guard let value = try value(name) else { return nil }
        guard let text = value.string else { throw wrong(name, "not a text") }
        return text.withoutBlanks
    }

    private func flag(_ name: String) throws(FileError) -> Bool? {
        guard let value = try value(name) else { return nil }
        guard let flag = value.bool else { throw wrong(name, "neither true nor false") }
        return flag
    }

    private func list(_ name: String) throws(FileError) -> [JSON]? {
        guard let value = try value(name) else { return nil }
        guard let list = value.array else { throw wrong(name, "not a list") }
        return list
    }

    private func integer(
        _ name: String, in range: ClosedRange<Int> = 0...1_000_000_000
    ) throws(FileError) -> Int? {
        guard let value = try value(name) else { return nil }
        guard let number = value.int, range.contains(number) else {
            throw wrong(
                name, "not an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func centimetres(_ name: String) throws(FileError) -> Int32? {
        guard let value = try value(name) else { return nil }
        guard let metres = value.double, let number = Decimal.centimetres(metres) else {
            throw wrong(name, "not a number of metres")
        }
        return number
    }

    private func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String
    ) throws(FileError) -> Choice? where Choice.RawValue == String {
        guard let value = try value(name) else { return nil }
        guard let choice = value.string.flatMap({ Choice(rawValue: $0) }) else {
            throw unknownValue(name, Choice.self)
        }
        return choice
    }

    private func unknownValue<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Choice.Type
    ) -> FileError where Choice.RawValue == String {
        GeoJSONReader.fault(
            .value, path(name), "this value is not allowed",
            hint: "Use one of " + Choice.allCases.map(\.rawValue).joined(separator: ", ") + ".")
    }
}
