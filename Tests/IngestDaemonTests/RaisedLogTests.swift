import Glibc
import Runtime
import TestSupport
import Testing

@Suite struct `The log of calls for help` {
    @Test func `logs an emergency only after COMMIT`() throws {
        let world = try World()
        let folder = try TemporaryFolder()
        let path = folder.file("log")
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { _ = close(descriptor) }
        world.log = Log(service: "ingest", descriptor: descriptor)
        func lines() throws -> Int {
            String(decoding: try Files.read(path), as: UTF8.self).split(separator: "\n")
                .count { $0.contains("emergency raised") }
        }
        let body = #"{"trigger":"panic","id":"call 1"}"#
        let lost = world.request(.post, "/v1/emergencies", body, token: "phone-1")
        try world.failingTurn { try world.service.handle(lost) }
        #expect(try lines() == 0)
        #expect(try world.send(.post, "/v1/emergencies", body, token: "phone-1").status == 202)
        #expect(try lines() == 1)
    }
}
