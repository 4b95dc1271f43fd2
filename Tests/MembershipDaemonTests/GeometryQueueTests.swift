import Foundation
import Geometry
import MembershipCore
import Model
import Parsing
import Synchronization
import TestSupport
import Testing
import Web

@testable import MembershipDaemon

@Suite struct `Slow shapes` {
    private static let place = Coordinate(latitude: 3.1, longitude: 101.6)!

    /// A zigzag line with some turns.
    private static func zigzag(_ count: Int) -> [Coordinate] {
        (0..<count).map { index in
            Coordinate(
                latitudeE7: 31_000_000 + (index % 2 == 0 ? 0 : 900_000),
                longitudeE7: 1_016_000_000 + Int32(index) * 1500)
        }
    }

    @Test(arguments: [
        GeometryJob(
            shape: .circle(center: place, radiusCentimetres: 5000), insetCentimetres: -300),
        GeometryJob(
            shape: .polygons([
                Polygon(
                    outer: zigzag(3), holes: [zigzag(4), []]), Polygon(outer: zigzag(5)),
            ]), insetCentimetres: 7),
        GeometryJob(
            shape: .corridor(line: zigzag(9), halfWidthCentimetres: 900), insetCentimetres: 0),
    ]) func `go to the worker and back as they are`(job: GeometryJob) {
        let bytes = GeometryCodec.encode(job)
        #expect(GeometryCodec.decodeJob(bytes) == job)
        for count in 0..<bytes.count {
            #expect(GeometryCodec.decodeJob(Array(bytes[..<count])) != job)
        }
        let outcome = job.run()
        #expect(GeometryCodec.decodeOutcome(GeometryCodec.encode(outcome)) == outcome)
    }

    @Test func `go to the worker, while quick ones are prepared immediately`() throws {
        let shapes = PreparedShapes()
        let circle = ZoneShape.circle(center: Self.place, radiusCentimetres: 5000)
        _ = try shapes.prepare(circle, insetCentimetres: 100)
        #expect(shapes.missing.isEmpty)
        let corridor = ZoneShape.corridor(line: Self.zigzag(3), halfWidthCentimetres: 500)
        for _ in 0..<2 {
            #expect(throws: PreparedShapes.Unavailability.self) {
                try shapes.prepare(corridor, insetCentimetres: 0)
            }
        }
        let job = GeometryJob(shape: corridor, insetCentimetres: 0)
        #expect(shapes.missing == [job])
        let prepared = PreparedShapes([job: job.run()])
        _ = try prepared.prepare(corridor, insetCentimetres: 0)
    }

    // MARK: The queue

    private func entry(
        _ id: UInt64, by requester: UInt64?, shapes: Int = 1
    ) -> GeometryQueue.Entry {
        GeometryQueue.Entry(
            request: Request(id: id, method: .post, path: "/"),
            requester: requester.map { ID128(high: 1, low: $0) },
            jobs: (0..<shapes).map { number in
                GeometryJob(
                    shape: .corridor(
                        line: Self.zigzag(4), halfWidthCentimetres: 500 + Int32(number)),
                    insetCentimetres: 0)
            }, received: .zero)
    }

    /// Runs turns until some requests are answered, for at most four minutes.
    ///
    /// Without `await`: a worker process ends with the thread that started it.
    private func drain(_ queue: GeometryQueue, _ count: Int) -> [GeometryQueue.Entry] {
        var answered: [GeometryQueue.Entry] = []
        let end = ContinuousClock.now + .seconds(240)
        while answered.count < count, ContinuousClock.now < end {
            answered += queue.collectFinished(at: .zero)
            queue.committed()
            Thread.sleep(forTimeInterval: 0.02)
        }
        return answered
    }

    @Test func `of several requesters take turns`() throws {
        let queue = GeometryQueue(program: try Programs.path("jaga-membership"))
        try queue.append(entry(1, by: 1, shapes: 4))
        try queue.append(entry(2, by: 2, shapes: 2))
        try queue.append(entry(3, by: nil, shapes: 1))
        #expect(throws: Problem.self) { try queue.append(entry(4, by: 1)) }
        let answered = drain(queue, 3)
        #expect(answered.map(\.request.id) == [3, 2, 1])
        let outcomes = answered.flatMap { Array($0.outcomes.values) }
        let isPrepared = outcomes.map { if case .prepared = $0 { true } else { false } }
        #expect(isPrepared.count == 7 && !isPrepared.contains(false))
    }

    @Test func `are abandoned when the request has used its CPU time`() throws {
        let queue = GeometryQueue(program: try Programs.path("jaga-membership"))
        var greedy = entry(1, by: 1, shapes: 3)
        greedy.usedMicroseconds = Limits.geometryMicrosecondsPerRequest
        try queue.append(greedy)
        try queue.append(entry(2, by: 2))
        let answered = drain(queue, 2)
        func isOver(_ id: UInt64) -> Bool? {
            answered.first { $0.request.id == id }?.outcomes.values.contains(.overBudget)
        }
        #expect(isOver(1) == true && isOver(2) == false)
    }

    @Test func `are answered again after a rollback, up to a limit`() throws {
        let queue = GeometryQueue(program: try Programs.path("jaga-membership"))
        try queue.append(entry(1, by: 1))
        let end = ContinuousClock.now + .seconds(240)
        while queue.collectFinished(at: .zero).isEmpty, ContinuousClock.now < end {
            Thread.sleep(forTimeInterval: 0.02)
        }
        for _ in 1..<Limits.geometryFailuresMax {
            queue.rolledBack()
            #expect(queue.collectFinished(at: .zero).count == 1 && queue.requests == [1])
        }
        queue.rolledBack()
        #expect(queue.collectFinished(at: .zero).isEmpty && queue.requests.isEmpty)
    }

    @Test func `time out before their sender does`() throws {
        let queue = GeometryQueue(program: "/nowhere")
        try queue.append(entry(1, by: 1))
        let answered = queue.collectFinished(at: .zero)
        #expect(answered.map(\.isFinished) == [false])
    }

    // MARK: The process

    /// A file of slow corridors.
    private func bomb(_ lines: Int, points: Int) -> String {
        let features = (0..<lines).map { number in
            let points = Self.zigzag(points).map { "[\($0.longitude),\($0.latitude)]" }
            return "{'type':'Feature','properties':{'name':'z\(number)','halfWidth':\(5 + number)},"
                + "'geometry':{'type':'LineString',"
                + "'coordinates':[\(points.joined(separator: ","))]}}"
        }
        return "{'type':'FeatureCollection','features':[\(features.joined(separator: ","))]}"
    }

    @Test func `delay no other requests, and end`() async throws {
        let suite = try await RunningMembership()
        let anna = try suite.person("Anna")
        let token = try suite.token(of: anna)
        let path = "/v1/people/\(anna)/zones/import?format=geojson&preview=true"
        let body = bomb(12, points: 1500)
        let port = suite.portBase + 2
        let operatorToken = try suite.operatorToken()
        // On threads of their own: tasks wait while other tests block theirs.
        let bombed = Outcome<PlainHTTP.Answer>()
        bombed.run {
            try PlainHTTP(port: port).send(
                "POST", path, body: Array(body.replacing("'", with: "\"").utf8), token: token)
        }
        let watched = Outcome<(isRefused: Bool, longest: Duration)>()
        watched.run {
            // No other large body of the same person is parsed meanwhile.
            let garbage = [UInt8](repeating: 0x7B, count: 300_000)
            var isRefused = false
            while !isRefused && bombed.result == nil {
                let answer = try PlainHTTP(port: port).send(
                    "POST", path, body: garbage, token: token)
                isRefused = answer.status == 429
            }
            var longest = Duration.zero
            let clock = ContinuousClock()
            for _ in 0..<40 {
                let before = clock.now
                let answer = try PlainHTTP(port: port).send(
                    "GET", "/v1/people/\(anna)", token: operatorToken)
                guard answer.status == 200 else { throw answer }
                longest = max(longest, clock.now - before)
                Thread.sleep(forTimeInterval: 0.05)
            }
            return (isRefused, longest)
        }
        #expect(await eventually(within: 90) { watched.result != nil })
        let (isRefused, longest) = try #require(watched.result).get()
        #expect(isRefused)
        #expect(await eventually(within: 60) { bombed.result != nil })
        let answer = try #require(bombed.result).get()
        #expect(longest < .seconds(1.5), "one was answered after \(longest)")
        let faults = answer.json["problems"]?.array ?? []
        #expect(answer.status == 200, "\(answer.text)")
        #expect(faults.contains { $0["detail"]?.string?.contains("too long") == true })
        // A larger body is not even parsed. The operator is denied for another reason.
        let large = [UInt8](repeating: 0x7B, count: Limits.geometryBodyBytesMax + 1)
        for (sender, status) in [(token, 413), (operatorToken, 403)] {
            let answer = try PlainHTTP(port: port).send("POST", path, body: large, token: sender)
            #expect(answer.status == status, "\(answer.text)")
        }
    }
}

extension PlainHTTP.Answer: Error {}

/// The result of a thread.
private final class Outcome<Value: Sendable>: Sendable {
    private let stored = Mutex<Result<Value, any Error>?>(nil)

    /// `nil` while the thread runs.
    var result: Result<Value, any Error>? { stored.withLock { $0 } }

    /// Starts a thread that runs `work` once.
    func run(_ work: @escaping @Sendable () throws -> Value) {
        Thread.detachNewThread {
            let result = Result(catching: work)
            self.stored.withLock { $0 = result }
        }
    }
}
