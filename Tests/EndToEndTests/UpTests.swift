import Foundation
import Glibc
import Runtime
import TestSupport
import Testing

extension `The suite` {
    @Suite struct `jaga up` {
        /// Whether a process exists and is not a zombie.
        private func isAlive(_ process: Int32) -> Bool {
            let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            guard let state = stat?.split(separator: ")").last?.first(where: { $0 != " " }) else {
                return false
            }
            return state != "Z"
        }

        private func children(of process: Int32) -> [Int32] {
            let path = "/proc/\(process)/task/\(process)/children"
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            return text.split(separator: " ").compactMap { Int32($0) }
        }

        /// The limit of core files of a process, such as `1 1 bytes`.
        private func coreLimit(of process: Int32) throws -> String {
            let text = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
            let line = text.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
            return try #require(line).split(separator: " ").suffix(3).joined(separator: " ")
        }

        @Test(arguments: [SIGINT, SIGTERM])
        func `stops all its processes`(signal: Int32) async throws {
            let suite = try RunningSuite()
            try await suite.start()
            let up = try #require(suite.up)
            let all = children(of: up.process.pid)
            let workers = all.flatMap(children)
            #expect(all.count == 6)
            #expect(!workers.isEmpty, "nginx has no worker")
            // Neither a command nor nginx writes a core file with tokens in it.
            for process in [up.process.pid] + all + workers {
                #expect(try coreLimit(of: process) == "1 1 bytes")
            }
            #expect(await up.stop(signal) == 0, "\(up.text)")
            #expect((all + workers).filter(isAlive) == [])
            #expect(up.text.contains("jaga: stopping"))
            for service in RunningSuite.Service.allCases {
                #expect(up.text.contains("service=\(service) msg=stopped"))
            }
        }

        /// `isStopped`: as by Ctrl-S; otherwise the terminal is full and not read.
        @Test(arguments: [true, false])
        func `supervises services and stops while its terminal is blocked`(
            isStopped: Bool
        ) async throws {
            let suite = try RunningSuite()
            let terminal = try Terminal()
            try await suite.start(at: terminal)
            let up = try #require(suite.up)
            var shown = ""
            let isReady = await eventually {
                shown += terminal.take()
                return shown.contains("Jaga is ready at")
            }
            try #require(isReady, "\(shown)")
            let filler =
                isStopped
                ? nil : try Capture("/bin/sh", ["-c", "exec yes > \(terminal.path)"])
            if isStopped { terminal.stop() }
            for service in [RunningSuite.Service.timer, .notifier] {
                try await suite.kill(service)
                try await suite.waitUntilReady(service)
            }
            #expect(await up.stop() == 0)
            filler?.end()
            if isStopped { terminal.goOn() }
            #expect(!terminal.take().contains("jaga: stopping"), "the terminal was never full")
        }

        @Test func `ends all its processes when it is killed`() async throws {
            let suite = try RunningSuite()
            try await suite.start()
            let up = try #require(suite.up)
            let all = children(of: up.process.pid)
            let workers = all.flatMap(children)
            #expect(await up.stop(SIGKILL) == 128 + SIGKILL)
            let left = await eventually { (all + workers).filter(isAlive).isEmpty }
            #expect(left, "still there: \((all + workers).filter(isAlive))")
        }

        @Test func `restarts ended processes, including nginx`() async throws {
            let suite = try RunningSuite()
            try await suite.start()
            let up = try #require(suite.up)
            for service in RunningSuite.Service.allCases {
                try await suite.kill(service)
                try await suite.waitUntilReady(service)
            }
            let nginx = try #require(children(of: up.process.pid).first(where: isNginx))
            // Workers end with their master only if configured.
            for process in children(of: nginx) + [nginx] { Glibc.kill(process, SIGKILL) }
            let isRestarted = await eventually {
                _ = suite.log
                return (try? suite.http.send("GET", "/v1/people").status) == 401
            }
            #expect(isRestarted, "\(suite.log)")
            #expect(suite.log.contains("ended (signal 9); restarting in 200 ms"))
            #expect(suite.log.contains("signal 9 was not sent by jaga"))
            #expect(suite.log.contains("previous run did not shut down"))
            #expect(await suite.stop() == 0)
        }

        private func isNginx(_ process: Int32) -> Bool {
            let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
            return name?.hasPrefix("nginx") == true
        }

        @Test func `refuses to start beside another one, and names it`() async throws {
            let suite = try RunningSuite()
            try await suite.start()
            let up = try #require(suite.up)
            let sameHome = try suite.run("up", "--port", "\(FreePorts.one())")
            #expect(await finish(sameHome) == 1)
            #expect(sameHome.text.contains("process \(up.process.pid) already uses"))

            let other = try TemporaryFolder()
            let samePort = try suite.run(
                "up", "--home", other.path, "--port", "\(suite.port)", "--port-base",
                "\(FreePorts.base(of: Array(1...302)))")
            #expect(await finish(samePort) == 1)
            #expect(
                samePort.text.contains("port \(suite.port) (public port) is in use by nginx"))

            let samePorts = try suite.run(
                "up", "--home", other.path, "--port", "\(FreePorts.one())")
            #expect(await finish(samePorts) == 1)
            #expect(samePorts.text.contains("port \(suite.portBase + 1) (ingest's HTTP) is in use"))
            #expect(samePorts.text.contains("jaga-ingest, process"))
            #expect(await suite.stop() == 0)
        }

        @Test func `exits when a service cannot start, and prints the reason`() async throws {
            let suite = try RunningSuite(settings: ["JAGA_SMS_GATEWAY": "pigeons"])
            await #expect(throws: TestFailure.self) { try await suite.start() }
            let up = try #require(suite.up)
            #expect(await finish(up) == 1)
            #expect(up.text.contains("notifier ended before it was ready (status 1)"))
            #expect(up.text.contains("pigeons"))
            #expect(children(of: up.process.pid) == [])
        }

        @Test func `refuses to start with an unknown setting`() async throws {
            let suite = try RunningSuite(settings: ["JAGA_UP_PROT": "8080"])
            await #expect(throws: TestFailure.self) { try await suite.start() }
            let up = try #require(suite.up)
            #expect(await finish(up) == 1)
            #expect(up.text.contains("JAGA_UP_PROT"))
            #expect(up.text.contains("Did you mean JAGA_UP_PORT?"))
        }

        private func finish(_ capture: Capture) async -> Int32? {
            _ = await eventually {
                _ = capture.text
                return capture.process.reap() != nil
            }
            return capture.process.exitStatus
        }
    }
}
