import Dialects
import Foundation
import Hosting
import Model
import Runtime
import TestSupport
import Testing

@testable import JagaCLI

@Suite struct `The plan of jaga up` {
    private func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    @Test func `has a configuration that nginx accepts`() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let configuration = NginxConfiguration(
            folder: folder.path, listen: ["127.0.0.1:48080"],
            ports: Ports(Topology(portBase: 48100)), isRoot: geteuid() == 0)
        #expect(try complaints(of: configuration.text, in: folder) == "")
        #expect(configuration.text.contains("user root;") == (geteuid() == 0))
    }

    @Test func `accepts all identities of phones at the root path`() throws {
        let rules = NginxConfiguration(ports: Ports(Topology(portBase: 48100))).rules
        let map = try #require(rules.split(separator: "\n").first { $0.contains("$reads_root {") })
        let names = map.split(separator: "\"")[1].split(separator: "$").map(String.init)
        #expect(
            names == ["request_method "] + PhoneIdentity.names.map { "arg_" + $0 }
                + ["http_authorization"])
    }

    @Test func `passes large photos of OwnTracks, few at a time and not through memory`() throws {
        let configuration = NginxConfiguration(ports: Ports(Topology(portBase: 48100)))
        let pub = try #require(
            configuration.routes.split(separator: "\n").first { $0.contains("location = /pub ") })
        #expect(pub.contains("client_max_body_size \(24 << 20); "))
        #expect(pub.contains("client_max_body_size \(24 << 20); "))
        #expect(configuration.rules.contains("client_body_buffer_size \(64 << 10);"))
        #expect(configuration.rules.contains("limit_conn jaga_huge 2;"))
    }

    @Test func `routes phone paths with a trailing slash, with their body limits`()
        async throws
    {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let port = FreePorts.base(of: [400])
        let configuration = NginxConfiguration(
            folder: folder.path, listen: ["127.0.0.1:\(port + 400)"],
            ports: Ports(Topology(portBase: port)), isRoot: geteuid() == 0)
        try configuration.text.write(
            to: folder.appending(path: "nginx.conf"), atomically: true, encoding: .utf8)
        let nginx = Process()
        nginx.executableURL = URL(filePath: "/usr/sbin/nginx")
        nginx.arguments = ["-p", folder.path, "-c", "nginx.conf", "-e", "stderr"]
        try nginx.run()
        defer {
            nginx.terminate()
            nginx.waitUntilExit()
        }
        let http = PlainHTTP(port: port + 400)
        for _ in 0..<100 where (try? http.send("GET", "/nothing")) == nil {
            try await Task.sleep(for: .milliseconds(50))
        }
        // No service is running, so routed paths get 503.
        for route in Route.all where route.isOfPhones && route.path != "/" {
            let path = route.path.replacing("{token}", with: "t0k")
            for path in [path, path + "/"] {
                #expect(try http.send("POST", path, body: [1]).status == 503, "\(path)")
            }
        }
        #expect(try http.send("POST", "/v1/people/", body: [1]).status == 404)
        for (path, bytes) in [
            ("/pub", 24 << 20), ("/pub/", 24 << 20), ("/overland/t0k/", 8 << 20),
            ("/osmand", 1 << 20), ("/v1/people", 1 << 20),
        ] {
            let answer = try http.send(
                "POST", path, body: [UInt8](repeating: 65, count: bytes + 1))
            #expect(answer.status == 413, "\(path)")
            #expect(answer.text.contains("limit of \(bytes) bytes"), "\(answer.text)")
        }
    }

    /// nginx's errors about a configuration; empty if it is valid.
    private func complaints(of text: String, in folder: URL) throws -> String {
        try text.write(
            to: folder.appending(path: "nginx.conf"), atomically: true, encoding: .utf8)
        let nginx = Process()
        nginx.executableURL = URL(filePath: "/usr/sbin/nginx")
        nginx.arguments = ["-t", "-q", "-p", folder.path, "-c", "nginx.conf", "-e", "stderr"]
        let pipe = Pipe()
        nginx.standardError = pipe
        try nginx.run()
        let said = pipe.fileHandleForReading.readDataToEndOfFile()
        nginx.waitUntilExit()
        return nginx.terminationStatus == 0 ? "" : String(decoding: said, as: UTF8.self)
    }

    @Test func `configures a separate nginx with the services' addresses`() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let ports = Ports(
            Topology(portBase: 8100, bindAddress: "0.0.0.0", hosts: [.ingest: "127.0.0.9"]))
        let own = NginxConfiguration(ports: ports, areServicesHere: true)
        #expect(own.rules.contains("server 127.0.0.1:8101;"))
        let configuration = NginxConfiguration(ports: ports)
        #expect(configuration.rules.contains("server 127.0.0.9:8101;"))
        #expect(configuration.rules.contains("server 127.0.0.1:8102;"))
        let whole = """
            pid \(folder.path)/nginx.pid;
            events {}
            http {
            client_body_temp_path \(folder.path);
            \(configuration.rules)
            server { listen 127.0.0.1:48081; \(configuration.routes) }
            }
            """
        #expect(try complaints(of: whole, in: folder) == "")
    }

    @Test func `opens nothing in place of standard descriptors that it was started without`() async
    {
        await #expect(processExitsWith: .success) {
            for descriptor in Int32(0)...2 { close(descriptor) }
            guard Main.run(["--version"]) == 0 else { exit(1) }
            exit(open("/", O_RDONLY) > 2 ? EXIT_SUCCESS : 2)
        }
    }

    @Test func `has every port once`() {
        let ports = Service.allCases.flatMap(Ports(Topology(portBase: 8100)).all).map(\.port)
        #expect(Set(ports).count == ports.count)
        #expect(ports.sorted().first == 8101)
        #expect(ports.contains(8401))
        #expect(ports.contains(8205))
        #expect(!ports.contains(8203))
        // Also with as many evaluators as there are partitions.
        let further = (2...64).map { Ports(Topology(portBase: 8100)).http(evaluator: $0) }
        #expect(Set(ports + further).count == ports.count + 63)
        #expect(Ports(Topology(portBase: 8100)).http(evaluator: 1) == 8103)
    }

    @Test func `routes each path to one service`() {
        let paths = Route.all.map(\.path)
        #expect(Set(paths).count == paths.count)
        let route = Route(path: "/v1/circles/{circle}/zones/{zone}", service: .membership)
        #expect(route.locations == ["~ \"^/v1/circles/[^/]+/zones/[^/]+$\""])
        #expect(
            Route(path: "/pub", service: .ingest, isOfPhones: true).locations == [
                "= /pub", "= /pub/",
            ])
        #expect(Route(path: "/", service: .ingest, isOfPhones: true).locations == ["= /"])
    }

    @Test func `listens on loopback too`() throws {
        let call = try Call(
            ["--bind", "127.0.0.2", "--port", "48081"], of: Up.syntax, environment: [:])
        let plan = try UpPlan(call)
        #expect(plan.listen == ["127.0.0.2:48081", "127.0.0.1:48081"])
        #expect(plan.origin == "http://127.0.0.2:48081")
    }

    @Test(arguments: [
        ["--bind", "example"], ["--without", "door"], ["--port", "0"], ["--port-base", "80"],
        ["--scale", "evaluator"], ["--scale", "timer=2"], ["--scale", "evaluator=0"],
        ["--scale", "evaluator=65"], ["--scale", "evaluator=2=3"],
    ])
    func `is refused when it is called wrongly`(words: [String]) {
        #expect(throws: (any Error).self) {
            try UpPlan(Call(words, of: Up.syntax, environment: [:]))
        }
    }

    @Test func `reports a port in use with its process`() throws {
        let taken = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(taken) }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        inet_pton(AF_INET, "127.0.0.1", &name.sin_addr)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = try withUnsafeMutablePointer(to: &name) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try #require(bind(taken, $0, size) == 0 && listen(taken, 1) == 0)
                try #require(getsockname(taken, $0, &size) == 0)
            }
            return Int(UInt16(bigEndian: pointer.pointee.sin_port))
        }
        #expect(!PortOwner.isFree(port))
        #expect(PortOwner.describe(port)?.hasSuffix("process \(getpid())") == true)
        let plan = try UpPlan(Call(["--port", String(port)], of: Up.syntax, environment: [:]))
        do throws(CommandError) {
            try plan.checkPorts()
            Issue.record("the port is taken")
        } catch {
            #expect(error.message.contains("port \(port)"))
            #expect(error.message.contains("process \(getpid())"))
            #expect(error.hint.contains("--port"))
        }
    }

    @Test func `delays restarts longer with each exit, and resets after a long run`() {
        var backoff = Backoff()
        let rests = (0..<8).map { _ in backoff.rest(afterRunning: .seconds(1)).milliseconds }
        #expect(rests == [200, 400, 800, 1600, 3200, 6400, 10_000, 10_000])
        #expect(backoff.rest(afterRunning: .seconds(31)) == .milliseconds(200))
    }

    @Test func `splits output into lines wherever it is cut`() {
        let text = Array("one\ntwo\n\nthree".utf8)
        for cut in 0...text.count {
            var lines = LineSplitter()
            let found = lines.append(Array(text[..<cut])) + lines.append(Array(text[cut...]))
            #expect(found == ["one", "two"])
            #expect(lines.rest() == ["three"])
            #expect(lines.rest() == [])
        }
        var lines = LineSplitter()
        let long = [UInt8](repeating: 65, count: LineSplitter.lineBytesMax + 1)
        #expect(lines.append(long).map(\.utf8.count) == [LineSplitter.lineBytesMax])
    }

    @Test(arguments: [
        ("10.0.0.1", true), ("172.16.0.1", true), ("172.32.0.1", false), ("192.168.1.5", true),
        ("127.0.0.1", false), ("203.0.113.9", false), ("nonsense", false),
    ])
    func `knows private addresses`(address: String, isPrivate: Bool) {
        #expect(NetworkAddress.isPrivate(address) == isPrivate)
    }

    @Test func `selects an address of the local network, never a container bridge`() {
        typealias Interface = NetworkAddress.Interface
        let bridge = Interface(name: "docker0", address: "172.17.0.1")
        let network = Interface(name: "br-5f1c", address: "172.18.0.1")
        let cable = Interface(name: "enp3s0", address: "192.168.1.5")
        let radio = Interface(name: "wlan0", address: "192.168.1.6")
        let all = [bridge, network, cable, radio]
        #expect(NetworkAddress.choose(from: all, outward: "192.168.1.6") == "192.168.1.6")
        // The default route of a rented server has a public address.
        #expect(NetworkAddress.choose(from: all, outward: "203.0.113.9") == "192.168.1.5")
        #expect(NetworkAddress.choose(from: all, outward: nil) == "192.168.1.5")
        #expect(NetworkAddress.choose(from: [bridge, network], outward: nil) == nil)
        let inContainer = Interface(name: "eth0", address: "172.17.0.2")
        #expect(NetworkAddress.choose(from: [inContainer], outward: "172.17.0.2") == "172.17.0.2")
    }

    @Test(arguments: [
        ("", [:], "on"), ("JAGA_NOTIFIER_TRIAL=off\n", [:], nil),
        ("", ["JAGA_NOTIFIER_TRIAL": "off"], "off"),
    ])
    func `counts the sink as a gateway unless the operator says otherwise`(
        file: String, environment: [String: String], expected: String?
    ) throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        try file.write(
            to: folder.appending(path: "jaga.conf"), atomically: true, encoding: .utf8)
        let plan = try UpPlan(
            Call(["--home", folder.path], of: Up.syntax, environment: environment))
        let found = plan.environment(of: .notifier, port: 1)["JAGA_NOTIFIER_TRIAL"]
        #expect(found == expected)
        #expect(
            plan.environment(of: .timer, port: 1)["JAGA_NOTIFIER_TRIAL"] == environment.first?.value
        )
    }
}
