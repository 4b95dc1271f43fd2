import Geometry
import MembershipCore
import Model
import Parsing
import Shapes
import Web

/// The changes of presence that a zone may tell of.
private enum ToldTransition: String, CaseIterable {
    case enter, exit

    var transition: Transition { self == .enter ? .enter : .exit }
}

/// Reads a zone: a GeoJSON Feature (RFC 7946) with a Point and a radius, a Polygon or a
/// MultiPolygon.
enum ZoneBody {
    static func read(_ json: JSON, isNew: Bool) throws(Problem) -> ZonePatch {
        let feature = try Fields(
            json, known: ["type", "geometry", "properties"], readOnly: ["id", "bbox"])
        guard try feature.text("type") == "Feature" else {
            throw feature.wrong("type", "a zone is a GeoJSON Feature", #"use "Feature""#)
        }
        let properties = try Fields(
            feature.value("properties") ?? .object([]), at: "properties",
            known: [
                "name", "kind", "category", "active", "priority", "radius", "hysteresis",
                "transitions",
            ], readOnly: ["circle", "version"])
        var patch = try patch(properties)
        if isNew, patch.name == nil { throw properties.missing("name", "such as Home") }
        let radius = try radiusCentimetres(properties)
        guard let geometry = feature.value("geometry") else {
            if isNew { throw feature.missing("geometry", "a Point, Polygon or MultiPolygon") }
            guard radius == nil else {
                throw properties.wrong("radius", "a radius needs its Point", "give both")
            }
            return patch
        }
        patch.drawing = try drawing(GeometryReader(geometry), radius, properties)
        return patch
    }

    private static func patch(_ properties: Fields) throws(Problem) -> ZonePatch {
        var patch = ZonePatch()
        patch.name = try properties.words("name", charactersMax: Limits.nameCharactersMax)
        patch.kind = try properties.choice("kind", ZoneKind.self)
        patch.category = try properties.words(
            "category", charactersMax: Limits.categoryCharactersMax, emptyAllowed: true)
        patch.active = try properties.flag("active")
        patch.priority = try properties.integer("priority", in: 0...Limits.zonePriorityMax)
        patch.hysteresisMetres = try properties.integer(
            "hysteresis", in: 0...Limits.hysteresisMetresMax)
        patch.transitions = try properties.choices("transitions", ToldTransition.self)?
            .map(\.transition)
        return patch
    }

    /// The radius in centimetres; bounds are for whoever checks the shape.
    private static func radiusCentimetres(_ properties: Fields) throws(Problem) -> Int32? {
        guard let value = properties.value("radius") else { return nil }
        guard let metres = value.double, let centimetres = Int32(exactly: (metres * 100).rounded())
        else {
            throw properties.wrong("radius", "this is not a number of metres")
        }
        return centimetres
    }

    private static func drawing(
        _ reader: GeometryReader, _ radius: Int32?, _ properties: Fields
    ) throws(Problem) -> ZonePatch.Drawing {
        let shape = try reader.shape(radiusCentimetres: radius)
        do {
            return ZonePatch.Drawing(shape: shape, prepared: try prepareChecked(shape))
        } catch {
            throw problem(error, reader, properties)
        }
    }

    /// Says where in the JSON and where on the map the fault is.
    private static func problem(
        _ fault: GeometryProblem, _ reader: GeometryReader, _ properties: Fields
    ) -> Problem {
        let field: String
        switch fault {
        case .radiusTooSmall, .radiusTooLarge: field = properties.path("radius")
        case .tooFewPoints(_, let polygon, let ring, _):
            field = reader.path(polygon: polygon, ring: ring)
        default:
            field =
                fault.position.map {
                    reader.path(polygon: $0.polygon, ring: $0.ring, vertex: $0.vertex)
                } ?? GeometryReader.path
        }
        let place = fault.place.map { " (at longitude \($0.longitude), latitude \($0.latitude))" }
        return .invalid(fault.description + (place ?? ""), field: field, hint: fault.hint)
    }
}
