import Model
import Parsing
import Testing
import Web

@testable import IngestDaemon

/// A location reported so many seconds after `start`.
private func location(_ seconds: Int64, _ more: String = "") -> String {
    let time = start.seconds + seconds
    return #"{"_type":"location","lat":3.1,"lon":101.7,"tst":\#(time)\#(more)}"#
}

@Suite struct `While the disk is nearly full` {
    @Test func `old reports are rejected first, then all, with 503`()
        throws
    {
        let world = try World()
        world.diskPressure = .filling
        #expect(try world.send(.post, "/pub", location(-4000), token: "phone-1").status == 200)
        world.diskPressure = .tight
        let old = try world.send(.post, "/pub", location(-3000), token: "phone-1")
        #expect(old.status == 503)
        #expect(old.headers["Retry-After"] == "30")
        #expect(old.json["detail"]?.string?.contains("old reports are rejected") == true)
        #expect(try world.send(.post, "/pub", location(-10), token: "phone-1").status == 200)
        world.diskPressure = .short
        for (path, body) in [
            ("/pub", location(0)),
            ("/v1/reports", #"{"lat":3.1,"lon":101.7,"time":"2026-11-20T10:20:00Z"}"#),
        ] {
            let answer = try world.send(.post, path, body, token: "phone-1")
            #expect(answer.status == 503)
            #expect(answer.headers["Retry-After"] == "30")
            #expect(answer.json["title"] == "Disk nearly full")
        }
        #expect(world.service.runner.counts.diskFull == 3)
        #expect(try world.database.scalar("SELECT count(*) FROM report") == .integer(2))
        world.diskPressure = .none
        #expect(try world.send(.post, "/pub", location(0), token: "phone-1").status == 200)
    }

    @Test func `calls for help and cancels are accepted, also inside a report`() throws {
        let world = try World()
        world.diskPressure = .short
        let body = location(0, #","poi":"SOS""#)
        #expect(try world.send(.post, "/pub", body, token: "phone-1").status == 200)
        #expect(world.records(.sosRaised).count == 1)
        let call = try world.send(
            .post, "/v1/emergencies", #"{"messageId":"call","lat":3.1,"lon":101.7}"#,
            token: "phone-2")
        #expect(call.status == 202)
        #expect(world.records(.sosRaised).count == 2)
        #expect(world.records(.inputSignal).count == 2)
        let emergency = call.json["id"]?.string ?? ""
        let end = try world.send(
            .post, "/v1/emergencies/\(emergency)/cancellation", "{}", token: "phone-2")
        #expect(end.status == 202)
        #expect(world.records(.sosCancelled).count == 1)
    }
}
