import Foundation
import Model
import Testing

@Suite struct ValueTests {
    @Test func `coordinates round-trip through JSON to the last digit`() throws {
        for latitude in [Int32(-900_000_000), -1, 0, 1, 525_163_101, 899_999_999, 900_000_000] {
            let value = Coordinate(latitudeE7: latitude, longitudeE7: -1_799_999_999)
            let data = try JSONEncoder().encode(value)
            #expect(try JSONDecoder().decode(Coordinate.self, from: data) == value)
        }
    }

    @Test func `a latitude of 91 is rejected`() {
        #expect(Coordinate(latitude: 91, longitude: 0) == nil)
        #expect(Coordinate(latitude: 0, longitude: -180.1) == nil)
        #expect(Coordinate(latitude: .nan, longitude: 0) == nil)
        #expect(Coordinate(latitude: 90, longitude: 180) != nil)
    }

    @Test func `a fix has metres in JSON and centimetres in memory`() throws {
        let text = """
            {"time":"2026-11-20T10:20:00Z","lat":52.5,"lon":13.4,"accuracy":12.5,"speed":1.4}
            """
        let fix = try JSONDecoder().decode(Fix.self, from: Data(text.utf8))
        #expect(fix.accuracyCentimetres == 1250)
        #expect(fix.speedCentimetresPerSecond == 140)
        #expect(fix.altitudeCentimetres == nil)
        let again = try JSONDecoder().decode(Fix.self, from: try JSONEncoder().encode(fix))
        #expect(again == fix)
    }

    @Test func `every event kind has a number and a type of its own`() {
        #expect(Set(EventKind.allCases.map(\.type)).count == EventKind.allCases.count)
        for kind in EventKind.allCases { #expect(kind.type.hasPrefix("jaga.")) }
    }

    @Test func `a partition has six bits`() {
        #expect(Partition(64) == nil)
        #expect(Partition(-1) == nil)
        #expect(Partition(firstDigestByte: 0xFF).number == 63)
        #expect(Partition.all.count == 64)
    }
}
