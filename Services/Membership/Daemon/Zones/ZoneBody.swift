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

    /// - Parameters:
    ///   - isNew: whether all required fields must be present
    ///   - old: the zone to change, whose shape a new inset applies to
    ///   - shapes: prepares the zone's shape
    static func read(
        _ json: JSON, isNew: Bool, before old: Zone? = nil, clocks: ZoneClocks,
        shapes: PreparedShapes = .direct
    ) throws(Problem) -> ZonePatch {
        let body: ZoneBody
        let geometry: JSON?
        var patch: ZonePatch
        do throws(FieldError) {
            let feature = try Fields(
                json, known: ["type", "geometry", "properties"],
                readOnly: ["id", "bbox", "wholeCircle"])
            guard try feature.text("type") == "Feature" else {
                throw FieldError(
                    .value, at: "type", "a zone must be a GeoJSON Feature",
                    hint: #"use "Feature""#)
            }
            let properties = try Fields(
                feature.value("properties") ?? .object([]), at: "properties",
                known: ZoneField.all.map(\.name),
                readOnly: ["circle", "person", "set", "version"])
            patch = try ZoneField.all.read(properties)
            body = ZoneBody(old: old, clocks: clocks, shapes: shapes, properties: properties)
            try body.readTimes(&patch)
            geometry = feature.value("geometry")
            if isNew, patch.name == nil {
                throw .missing(properties.path("name"), hint: "such as Home")
            }
            if isNew, geometry == nil {
                throw .missing(
                    "geometry", hint: "a Point, LineString, Polygon or MultiPolygon")
            }
        } catch {
            throw Problem(error)
        }
        patch.drawing = try body.drawing(geometry, inset: patch.insetCentimetres)
        return patch
    }

    private func readTimes(_ patch: inout ZonePatch) throws(FieldError) {
        let times = try ZoneTimes(properties.members(ZoneTimes.names), at: properties.path)
        if properties.contains("schedule") { patch.schedule = .some(times.schedule) }
        if properties.contains("absentBy") { patch.absentByMinute = .some(times.absentByMinute) }
        if let clock = try times.clock(clocks.clock, nearest: clocks.folder.nearest) {
            patch.clock = .some(clock)
        }
    }

    // MARK: Shape

    /// Returns nil if the body has neither a shape nor a measure of one.
    private func drawing(
        _ geometry: JSON?, inset: Int32?
    ) throws(Problem) -> ZonePatch.Drawing? {
        let shape: ZoneShape
        var reader: GeoJSONGeometry?
        do throws(FieldError) {
            let radius = try properties.centimetres("radius")
            let halfWidth = try properties.centimetres("halfWidth")
            if let geometry {
                let geometry = try GeoJSONGeometry(geometry)
                // Too many vertices are rejected before any of them is read.
                if geometry.vertexCount > GeometryLimits.verticesMax {
                    let problem = GeometryProblem.tooManyPoints(count: geometry.vertexCount)
                    throw FieldError(
                        .range, at: geometry.path, problem.description, hint: problem.hint)
                }
                shape = try geometry.shape(
                    radiusCentimetres: radius, halfWidthCentimetres: halfWidth)
                reader = geometry
            } else {
                guard radius != nil || halfWidth != nil || inset != nil else { return nil }
                shape = try oldShape(radius, halfWidth)
            }
        } catch {
            throw Problem(error)
        }
        return try drawing(shape, inset: inset, reader: reader)
    }

    /// The stored shape with a new measure.
    private func oldShape(_ radius: Int32?, _ halfWidth: Int32?) throws(FieldError) -> ZoneShape {
        switch (old?.shape, radius, halfWidth) {
        case (.circle(let center, _)?, let radius?, nil):
            return .circle(center: center, radiusCentimetres: radius)
        case (.corridor(let line, _)?, nil, let halfWidth?):
            return .corridor(line: line, halfWidthCentimetres: halfWidth)
        case (let shape?, nil, nil): return shape
        case (_, .some, _):
            throw FieldError(
                .misplaced, at: properties.path("radius"), "a radius requires a Point",
                hint: "set both")
        case (_, _, .some):
            throw FieldError(
                .misplaced, at: properties.path("halfWidth"), "a half-width requires a LineString",
                hint: "set both")
        case (nil, nil, nil):
            throw FieldError(
                .misplaced, at: properties.path("inset"), "an inset requires a shape",
                hint: "set the geometry")
        }
    }

    private func drawing(
        _ shape: ZoneShape, inset: Int32?, reader: GeoJSONGeometry?
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

    /// The problem with the JSON path and the position on the map.
    private func problem(
        _ fault: GeometryProblem, _ reader: GeoJSONGeometry?, isInset: Bool
    ) -> Problem {
        let field: String
        switch fault {
        case .radiusTooSmall, .radiusTooLarge: field = properties.path("radius")
        case .halfWidthTooSmall, .halfWidthTooLarge: field = properties.path("halfWidth")
        case .insetTooLarge: field = properties.path("inset")
        case .outlineTooLong where isInset, .tooManyPieces where isInset:
            field = properties.path("inset")
        case .tooFewPoints(_, let polygon, let ring, _):
            field = reader?.path(polygon: polygon, ring: ring) ?? "geometry.coordinates"
        default:
            field =
                fault.position.flatMap {
                    reader?.path(polygon: $0.polygon, ring: $0.ring, vertex: $0.vertex)
                } ?? "geometry.coordinates"
        }
        let place = fault.coordinate.map {
            " (at longitude \($0.longitude), latitude \($0.latitude))"
        }
        return .invalid(fault.description + (place ?? ""), field: field, hint: fault.hint)
    }
}
