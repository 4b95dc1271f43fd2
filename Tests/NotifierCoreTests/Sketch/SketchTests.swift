import Model
import NotifierCore
import Testing

/// The drawing of a trail.
@Suite struct `A sketch` {
    private func fix(
        _ seconds: Int64, north: Double = 0, east: Double = 0, from latitude: Double = 3.139,
        longitude: Double = 101.6869
    ) -> MarkedFix {
        let position = Coordinate(
            latitude: latitude + north / 110_570, longitude: longitude + east / 111_160)!
        return MarkedFix(
            fix: Fix(
                time: World.start + .seconds(seconds), position: position,
                accuracyCentimetres: 1000))
    }

    private func isInFrame(_ point: Sketch.Point) -> Bool {
        (0...Sketch.width).contains(point.x) && (0...Sketch.height).contains(point.y)
    }

    @Test func `has the newest position in the middle if there is no other`() throws {
        let sketch = try #require(
            Sketch(of: PersonPositions(newest: fix(0), battery: nil), zones: []))
        let middle = sketch.newest.point
        #expect(middle.x == Sketch.width / 2 && middle.y == Sketch.height / 2)
        #expect(sketch.scaleMetres == 20 && sketch.trail.count == 1)
    }

    @Test func `holds the whole trail, north up and east to the right`() throws {
        let trail = (1...20).map {
            fix(-Int64($0), north: -100 * Double($0), east: -50 * Double($0))
        }
        let sketch = try #require(
            Sketch(
                of: PersonPositions(newest: fix(0), battery: nil, trail: trail), zones: []))
        #expect(sketch.trail.count == 21 && sketch.trail.allSatisfy(isInFrame))
        let (first, last) = (try #require(sketch.trail.first), try #require(sketch.trail.last))
        #expect(first.y > last.y && first.x < last.x)
        // 2 km north take as many pixels as the scale says.
        let metres = Double(sketch.scaleMetres) / Double(sketch.scale) * Double(first.y - last.y)
        #expect(abs(metres - 2000) < 60, "\(metres)")
        #expect(sketch.scale <= Sketch.width / 3)
    }

    @Test(arguments: [
        (3.139, 179.9999), (-17.0, -179.9999), (89.9, 10.0), (-89.9999, 0.1), (0.0001, 0.0001),
    ])
    func `is drawn everywhere on earth`(latitude: Double, longitude: Double) throws {
        let newest = fix(0, from: latitude, longitude: longitude)
        var other = newest.fix.position
        other.longitudeE7 = -other.longitudeE7
        let trail = [MarkedFix(fix: Fix(time: World.start, position: other))]
        let sketch = try #require(
            Sketch(of: PersonPositions(newest: newest, battery: nil, trail: trail), zones: []))
        #expect(sketch.trail.allSatisfy(isInFrame) && sketch.scale > 0)
    }

    @Test func `draws zones near the trail, no others, and joins no suspect to it`() throws {
        var far = Town.zone(9, "Far", radiusMetres: 100)
        far.prepared.origin = Coordinate(latitude: 4, longitude: 101)!
        var spike = fix(-5, north: 60)
        spike.isSuspect = true
        let positions = PersonPositions(
            newest: fix(0), battery: nil, trail: [spike, fix(-10, north: 100)])
        let sketch = try #require(Sketch(of: positions, zones: [Town.school, far]))
        #expect(sketch.zones.map(\.name) == ["School"])
        #expect(sketch.trail.count == 2 && sketch.suspects.count == 1)
    }

    @Test func `of a long trail keeps a few hundred positions`() throws {
        let trail = (1...2000).map { fix(-Int64($0), north: Double($0)) }
        let sketch = try #require(
            Sketch(of: PersonPositions(newest: fix(0), battery: nil, trail: trail), zones: []))
        #expect(sketch.trail.count <= 302)
    }

    @Test func `there is none without a position`() {
        #expect(Sketch(of: PersonPositions(newest: nil, battery: 5), zones: []) == nil)
    }
}
