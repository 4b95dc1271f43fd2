import Geometry
import Model

/// A drawing of a trail with zones, for pages that load no map.
///
/// Coordinates are pixels, right and down, in a frame of ``width`` × ``height``; north is up.
/// The frame holds the believed trail and the newest position with its accuracy; zones are drawn as
/// far as they are in it.
package struct Sketch: Hashable, Sendable, Codable {
    package struct Point: Hashable, Sendable, Codable {
        package var x: Int
        package var y: Int
    }

    package struct Mark: Hashable, Sendable, Codable {
        package var point: Point
        package var isSuspect: Bool
    }

    package struct ZoneShape: Hashable, Sendable, Codable {
        package var name: String
        package var isAlert: Bool
        /// Rings of polygons; empty for a circle.
        package var rings: [[Point]]
        package var center: Point
        /// Pixels; 0 for polygons.
        package var radius: Int
    }

    package static let width = 360
    package static let height = 270
    private static let margin = 28

    package var zones: [ZoneShape]
    /// Believed positions, oldest first.
    package var trail: [Point]
    /// Suspect positions, joined to nothing.
    package var suspects: [Point]
    package var newest: Mark
    /// Radius of the newest position's accuracy in pixels.
    package var accuracy: Int
    /// Length of the scale bar in pixels.
    package var scale: Int
    /// What it stands for: metres.
    package var scaleMetres: Int

    /// - Parameters:
    ///   - positions: nil is returned without a newest one
    ///   - zones: that the reader may see
    package init?(of positions: PersonPositions, zones: [Zone]) {
        guard let newest = positions.newest else { return nil }
        let plane = Plane(origin: newest.fix.position)
        let older = Sketch.thinned(positions.trail.reversed())
        let believed = older.filter { !$0.isSuspect }
        let metres = max(1, Double(Sketch.accuracyCentimetres(of: newest.fix)) / 100)
        var frame = Frame()
        for fix in believed { frame.include(plane.metres(fix.fix.position)) }
        frame.include((-metres, -metres))
        frame.include((metres, metres))
        let view = View(frame)
        self.zones = zones.compactMap { Sketch.shape(of: $0, plane, view) }
            .prefix(Limits.sketchZonesMax).map(\.self)
        trail = believed.map { view.point(plane.metres($0.fix.position)) }
        suspects = older.filter(\.isSuspect).map { view.point(plane.metres($0.fix.position)) }
            .filter(Sketch.isInside)
        self.newest = Mark(point: view.point((0, 0)), isSuspect: newest.isSuspect)
        if !newest.isSuspect { trail.append(self.newest.point) }
        accuracy = view.pixels(metres)
        (scaleMetres, scale) = view.scale
    }

    /// At most ``Limits/sketchFixesMax`` fixes, equally distributed.
    private static func thinned(_ fixes: [MarkedFix]) -> [MarkedFix] {
        let step = fixes.count / Limits.sketchFixesMax + 1
        guard step > 1 else { return fixes }
        return fixes.enumerated().filter { $0.offset % step == 0 || $0.element.isSuspect }
            .map(\.element)
    }

    private static func accuracyCentimetres(of fix: Fix) -> Int32 {
        fix.accuracyCentimetres > 0 ? fix.accuracyCentimetres : Limits.unknownAccuracyCentimetres
    }

    private static func isInside(_ point: Point) -> Bool {
        (0...width).contains(point.x) && (0...height).contains(point.y)
    }

    /// Nil if the zone is outside of the frame, or so large that it has no edge there.
    private static func shape(of zone: Zone, _ plane: Plane, _ view: View) -> ZoneShape? {
        let prepared = zone.prepared
        let center = plane.metres(prepared.origin)
        let reach = Double(prepared.reachCentimetres) / 100
        guard view.isNear(center, reach) else { return nil }
        var rings: [[Point]] = []
        for ring in prepared.polygons.joined() where rings.count < Limits.sketchRingsMax {
            let step = ring.count / Limits.sketchCornersMax + 1
            rings.append(
                ring.enumerated().filter { $0.offset % step == 0 }.map { _, corner in
                    view.point(plane.metres(corner, from: prepared.origin))
                })
        }
        return ZoneShape(
            name: zone.name, isAlert: zone.kind == .alert, rings: rings,
            center: view.point(center),
            radius: view.pixels(Double(prepared.radiusCentimetres) / 100))
    }

    /// Metres east and north of an origin, exact enough for a drawing of a region.
    private struct Plane {
        let origin: Coordinate
        private let east: Double
        private let north: Double

        init(origin: Coordinate) {
            self.origin = origin
            // A hundredth of a degree towards the equator and to the side.
            let step: Int32 = 100_000
            let towards = origin.latitudeE7 > 0 ? -step : step
            let here = EarthPoint(origin)
            let sideways = origin.longitudeE7 > 0 ? -step : step
            let beside = Coordinate(
                latitudeE7: origin.latitudeE7, longitudeE7: origin.longitudeE7 + sideways)
            let below = Coordinate(
                latitudeE7: origin.latitudeE7 + towards, longitudeE7: origin.longitudeE7)
            east = here.straightMetres(to: EarthPoint(beside)) / Double(step)
            north = here.straightMetres(to: EarthPoint(below)) / Double(step)
        }

        func metres(_ position: Coordinate) -> (Double, Double) {
            var longitude = Int64(position.longitudeE7) - Int64(origin.longitudeE7)
            if longitude > 1_800_000_000 { longitude -= 3_600_000_000 }
            if longitude < -1_800_000_000 { longitude += 3_600_000_000 }
            let latitude = Int64(position.latitudeE7) - Int64(origin.latitudeE7)
            return (Double(longitude) * east, Double(latitude) * north)
        }

        func metres(_ corner: VertexOffset, from start: Coordinate) -> (Double, Double) {
            let start = metres(start)
            return (
                start.0 + Double(corner.longitudeE7) * east,
                start.1 + Double(corner.latitudeE7) * north
            )
        }
    }

    /// The part of the plane to show, metres.
    private struct Frame {
        var west = Double.infinity
        var east = -Double.infinity
        var south = Double.infinity
        var north = -Double.infinity

        mutating func include(_ point: (Double, Double)) {
            west = min(west, point.0)
            east = max(east, point.0)
            south = min(south, point.1)
            north = max(north, point.1)
        }
    }

    private struct View {
        private let metresPerPixel: Double
        private let middle: (Double, Double)

        init(_ frame: Frame) {
            let wide = Double(Sketch.width - 2 * Sketch.margin)
            let high = Double(Sketch.height - 2 * Sketch.margin)
            // At least 60 m: closer, a sketch shows noise.
            metresPerPixel = max(
                60 / high, (frame.east - frame.west) / wide, (frame.north - frame.south) / high)
            middle = ((frame.east + frame.west) / 2, (frame.north + frame.south) / 2)
        }

        func point(_ metres: (Double, Double)) -> Point {
            Point(
                x: whole((metres.0 - middle.0) / metresPerPixel) + Sketch.width / 2,
                y: whole((middle.1 - metres.1) / metresPerPixel) + Sketch.height / 2)
        }

        func pixels(_ metres: Double) -> Int {
            max(metres > 0 ? 1 : 0, whole(metres / metresPerPixel))
        }

        /// Whether a circle touches the frame.
        func isNear(_ center: (Double, Double), _ reach: Double) -> Bool {
            let x = abs(center.0 - middle.0) / metresPerPixel - Double(Sketch.width) / 2
            let y = abs(center.1 - middle.1) / metresPerPixel - Double(Sketch.height) / 2
            return max(x, y) <= reach / metresPerPixel
        }

        /// The longest round length that takes at most a third of the frame.
        var scale: (metres: Int, pixels: Int) {
            let most = metresPerPixel * Double(Sketch.width) / 3
            var metres = 1
            let steps = [2, 5, 10]
            search: for _ in 0..<8 {
                let decade = metres
                for step in steps {
                    guard Double(decade * step) <= most else { break search }
                    metres = decade * step
                }
            }
            return (metres, pixels(Double(metres)))
        }

        private func whole(_ value: Double) -> Int {
            Int(nearest: max(-100_000, min(100_000, value)))
        }
    }
}
