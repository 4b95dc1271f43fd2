import Foundation
import Model
import Parsing
import Runtime
import TestSupport
import Testing

extension `The suite` {
    @Suite struct `Phone apps` {
        /// One message of an app, and the start of the success response that it expects.
        private struct Sent {
            let method: String
            let address: String
            var body = ""
            var success = ""
        }

        /// A message of each app, ordered by their fix times, each at another position.
        private static func messages(_ token: String, from start: Int64) -> [Sent] {
            let place = { (number: Int) in
                "lat=3.\(number)&lon=101.5&timestamp=\(start + Int64(number))"
            }
            let time = { (number: Int) in Timestamp(seconds: start + Int64(number)) }
            let overland =
                #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":"#
                + #"[101.5,3.4]},"properties":{"timestamp":"\#(time(4))"}}]}"#
            let traccar =
                #"{"device_id":"\#(token)","location":{"timestamp":"\#(time(5))","#
                + #""coords":{"latitude":3.5,"longitude":101.5}}}"#
            let clock = time(6).description.prefix(19).split(separator: "T")
            let date = clock[0].split(separator: "-").reversed().map { $0.suffix(2) }.joined()
            let sentence =
                "$GPRMC,\(clock[1].replacing(":", with: "")),A,0336.0000,N,10130.0000,E,,,\(date),,"
            return [
                Sent(method: "POST", address: "/?id=\(token)&\(place(1))"),
                Sent(method: "GET", address: "/osmand/\(token)?speedUnit=ms&\(place(2))"),
                Sent(method: "GET", address: "/log/gpslogger/\(token)?\(place(3))"),
                Sent(
                    method: "POST", address: "/overland/\(token)", body: overland,
                    success: #"{"result":"ok""#),
                Sent(method: "POST", address: "/", body: traccar),
                Sent(method: "GET", address: "/gprmc/Data?id=\(token)&gprmc=\(sentence)"),
            ]
        }

        @Test func `report to one address, each in its own protocol, and leave no trace in logs`()
            async throws
        {
            try await Household.run { home in
                let token = home.phoneAPI.token
                let start = SystemClock().now.seconds - 60
                for (index, sent) in Self.messages(token, from: start).enumerated() {
                    let answer = try home.suite.http.send(
                        sent.method, sent.address, body: Array(sent.body.utf8), token: nil)
                    #expect(answer.status == 200, "\(sent.address): \(answer.text)")
                    #expect(answer.text.hasPrefix(sent.success))
                    #expect(answer.text.isEmpty == sent.success.isEmpty)
                    let seen = try home.anna.api.call(
                        "GET", "/v1/circles/\(home.circle)/positions")
                    let anna = try #require(
                        seen["features"]?.array?.first { $0["id"]?.string == home.anna.id })
                    let latitude = anna["geometry"]?["coordinates"]?[1]?.double
                    let tenths = latitude.map { Int(($0 * 10).rounded()) }
                    #expect(tenths == 31 + index, "\(sent.address)")
                }
                try sendBatch(home, at: start + 30)
                let unknownToken = String(repeating: "x", count: 43)
                let http = home.suite.http
                #expect(try http.send("GET", "/?id=\(unknownToken)&lat=1&lon=2").status == 401)
                #expect(try http.send("GET", "/").status == 404)
                #expect(!home.suite.log.contains(token))
                #expect(!home.suite.log.contains(unknownToken))
                #expect(!home.suite.log.contains("101.5"))
            }
        }

        /// A thousand points with every field of the app, more than 1 MiB.
        private func sendBatch(_ home: Household, at start: Int64) throws {
            let filler = String(repeating: "x", count: 1000)
            let points = (0..<1000).map { number in
                let time = Timestamp(milliseconds: start * 1000 + Int64(number))
                return #"{"geometry":{"coordinates":[101.5,4]},"properties":{"#
                    + #""timestamp":"\#(time)","wifi":"\#(filler)"}}"#
            }
            let body = #"{"locations":[\#(points.joined(separator: ","))]}"#
            #expect(body.utf8.count > 1 << 20)
            let answer = try home.suite.http.send(
                "POST", "/overland", body: Array(body.utf8), token: home.phoneAPI.token)
            #expect(answer.status == 200 && answer.json["result"] == "ok", "\(answer.text)")
            let seen = try home.anna.api.call("GET", "/v1/circles/\(home.circle)/positions")
            let places = seen["features"]?.array?.compactMap {
                $0["geometry"]?["coordinates"]?[1]?.double
            }
            #expect(places == [4])
        }
    }
}
