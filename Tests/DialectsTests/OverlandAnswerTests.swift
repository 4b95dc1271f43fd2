import Model
import Parsing
import Testing

@testable import Dialects

/// A list that exceeds the limit of one message is read in portions.
@Suite struct `A long list` {
    private func times(_ reading: Reading) -> [Int64] {
        reading.observations.map { $0.fix.time.seconds }
    }

    @Test(arguments: [0, 2000, 2500])
    func `is read from any index on, up to the limit of one message`(first: Int) throws {
        func list(_ one: (Int) -> String) -> String {
            (0..<4100).map(one).joined(separator: ",")
        }
        let overland = list {
            #"{"type":"Feature","geometry":{"type":"Point","coordinates":[2,1]},"#
                + #""properties":{"timestamp":\#(1000 + $0)}}"#
        }
        let jaga = list { number in
            let time = Timestamp(seconds: Int64(1000 + number)).description
            return #"{"lat":1,"lon":2,"time":"\#(time)"}"#
        }
        let traccar = list {
            #"{"timestamp":\#(1000 + $0),"coords":{"latitude":1,"longitude":2}}"#
        }
        let readings = [
            Overland.read(
                Array(#"{"locations":[\#(overland)]}"#.utf8), received: .zero, from: first),
            JagaReports.read(
                Array(#"{"reports":[\#(jaga)]}"#.utf8), received: .zero, from: first),
            OsmAnd.read(
                Query(), Array(#"{"location":[\#(traccar)]}"#.utf8), received: .zero,
                from: first),
        ]
        let end = min(first + 2000, 4100)
        for reading in readings {
            #expect(times(reading) == (first..<end).map { Int64(1000 + $0) })
            let rest = end < 4100 ? [Rejection(index: end, reason: .tooMany)] : []
            #expect(reading.rejections == rest)
        }
    }
}

@Suite struct `A batch of Overland` {
    @Test func `is read up to the limit, and the rest is quarantined`() {
        let feature = #"{"geometry":{"coordinates":[1,2]},"properties":{"timestamp":1795170000}}"#
        let features = Array(repeating: feature, count: Overland.featuresMax + 5)
        let reading = Overland.read(
            Array(#"{"locations":[\#(features.joined(separator: ","))]}"#.utf8), received: .zero)
        #expect(reading.observations.count == Overland.featuresMax)
        #expect(reading.rejections == [Rejection(index: Overland.featuresMax, reason: .tooMany)])
    }

    @Test func `may have every value that an app sends, but not millions of values`() throws {
        let properties = (1...100).map { #""p\#($0)":0"# }.joined(separator: ",")
        let feature =
            #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":"#
            + #"{"timestamp":1795170000,"motion":["walking","driving"],\#(properties)}}"#
        let features = Array(repeating: feature, count: Overland.featuresMax)
        let whole = #"{"locations":[\#(features.joined(separator: ","))],"current":\#(feature)}"#
        let count = try JSONView.read(Array(whole.utf8), valuesMax: JSON.bodyValuesMax) {
            $0["locations"]?.elements?.count
        }
        #expect(count == Overland.featuresMax)

        let numbers = Array(repeating: "0", count: JSON.bodyValuesMax).joined(separator: ",")
        let body = Array(#"{"locations":[\#(numbers)]}"#.utf8)
        let tooMany = Reading.rejected(.tooMany)
        #expect(Overland.read(body, received: Golden.received) == tooMany)
        #expect(OwnTracks.read(body, received: .zero, sosWord: "sos") == tooMany)
        #expect(GPSLogger.read(Query(), body, received: .zero, sosWord: "sos") == tooMany)
        #expect(OsmAnd.read(Query(), body, received: .zero) == tooMany)
        #expect(JagaEmergency.read(body, received: .zero) == EmergencyCall(ignored: ["body"]))
    }
}

@Suite struct `The answer to Overland` {
    private func settings(_ mode: ReportingMode, filter: Int32? = nil) throws -> JSON {
        let policy = ReportingPolicy(
            person: PersonID(.zero), device: DeviceID(.zero), mode: mode,
            distanceFilterMetres: filter, intervalSeconds: 1800, contactTimeoutSeconds: 1800)
        let json = try JSON.parse(Overland.answer(policy: policy))
        #expect(json["result"] == "ok")
        return try #require(json["set"])
    }

    @Test func `has no settings if nothing changes`() {
        #expect(Overland.answer() == Array(#"{"result":"ok"}"#.utf8))
    }

    @Test(
        arguments: [
            (0, "1m"), (9, "1m"), (10, "10m"), (30, "10m"), (50, "50m"), (100, "100m"),
            (280, "100m"),
            (500, "500m"), (9000, "500m"),
        ] as [(Int32, String)])
    func `has the largest of the app's distances within the filter`(metres: Int32, text: String)
        throws
    {
        #expect(try settings(.standard, filter: metres)["main"]?["min_distance"]?.string == text)
    }

    @Test(arguments: ReportingMode.allCases)
    func `has only values that the app knows, and never the mode off`(mode: ReportingMode) throws {
        let set = try settings(mode, filter: 50)
        let main = try #require(set["main"]?.object)
        let words: [String: [JSON]] = [
            "tracking_mode": ["standard", "significant", "both"],
            "min_distance": ["1m", "10m", "50m", "100m", "500m"],
            "min_time": ["1s", "5s", "10s", "30s", "1m", "5m"],
            "pause_automatically": [true, false], "visit_tracking": [true, false],
        ]
        for member in main { #expect(words[member.key]?.contains(member.value) == true) }
        #expect(!set.text.contains(#""off""#))
        #expect(set.object?.map(\.key) == ["send_interval", "main"])
    }

    /// The interval of a policy is the maximum pause, the app's interval the minimum.
    @Test(arguments: ReportingMode.allCases)
    func `always has a short send interval`(mode: ReportingMode) throws {
        let interval = try settings(mode)["send_interval"]?.string
        #expect(interval == "10s" || interval == "30s")
    }

    @Test func `keeps a stationary phone reporting in an emergency`() throws {
        let set = try settings(.event)
        #expect(set["main"]?["min_time"] == "30s")
        #expect(set["main"]?["pause_automatically"] == false)
        #expect(set["main"]?["tracking_mode"] == "both")
    }
}
