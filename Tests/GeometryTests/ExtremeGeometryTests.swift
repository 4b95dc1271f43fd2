import Geometry
import Model
import Testing

/// A prepared geometry comes from the wire. No values in it may crash a process.
@Suite struct `A prepared geometry with an extreme number` {
    private static let numbers: [Int64] = [
        .min, .max, 1 << 62, 1 << 53, 1 << 52, 1 << 31, -1 << 31, -1, 0, 1, 1_800_000_001,
        -1_800_000_001, 900_000_001,
    ]
    private static let positions = [
        Coordinate.at(3, 101), .at(3.05, 101.05), .at(90, 0), .at(-90, 180), .at(0, -180),
        .at(3, -79), Coordinate(latitudeE7: .max, longitudeE7: .min),
    ]

    /// The geometry with each number replaced by each extreme value.
    private static func variants(of whole: PreparedGeometry) -> [PreparedGeometry] {
        numbers.flatMap { number in
            let short = Int32(clamping: number)
            var found = whole.coefficients.indices.map { index in
                var changed = whole
                changed.coefficients[index] = number
                return changed
            }
            func add(_ change: (inout PreparedGeometry) -> Void) {
                var changed = whole
                change(&changed)
                found.append(changed)
            }
            add { $0.origin.latitudeE7 = short }
            add { $0.origin.longitudeE7 = short }
            add { $0.radiusCentimetres = short }
            add { $0.reachCentimetres = short }
            add { $0.inradiusCentimetres = short }
            if !whole.polygons.isEmpty {
                add { $0.polygons[0][0][1].latitudeE7 = short }
                add { $0.polygons[0][0][1].longitudeE7 = short }
                add { $0.polygons[0][0] = Array($0.polygons[0][0].prefix(1)) }
            }
            return found
        }
    }

    @Test func `is rejected or evaluates without a crash`() throws {
        let ring = [(3.0, 101.0), (3.0, 101.1), (3.1, 101.1), (3.1, 101.0)].map {
            Coordinate.at($0.0, $0.1)
        }
        let shapes: [ZoneShape] = [
            .circle(center: .at(3, 101), radiusCentimetres: 20_000),
            .polygons([Polygon(outer: ring)]),
        ]
        var refused = 0
        for shape in shapes {
            let whole = try prepare(shape)
            #expect(Region(whole) != nil)
            for variant in Self.variants(of: whole) {
                guard let region = Region(variant) else {
                    refused += 1
                    continue
                }
                let set = RegionSet([region], extraReachMetres: [1000])
                var near: [NearRegion] = []
                for position in Self.positions {
                    let point = EarthPoint(position)
                    _ = region.signedDistance(from: point)
                    set.append(near: point, to: &near)
                }
            }
        }
        #expect(refused > 50)
    }
}
