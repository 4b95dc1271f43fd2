import Foundation
import Runtime
import TestSupport
import Testing

/// `deploy/build --pin` with a script as registry.
@Suite struct `Pinning base images` {
    private let folder: TemporaryFolder
    private let digest = "sha256:" + String(repeating: "0a", count: 32)

    init() throws {
        folder = try TemporaryFolder()
        let deploy = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "deploy")
        for name in ["build", "base-images.env"] {
            try FileManager.default.copyItem(
                atPath: deploy.appending(path: name).path, toPath: folder.file(name))
        }
    }

    private var images: [String] {
        get throws {
            String(
                decoding: try Files.read(folder.file("base-images.env"), bytesMax: 4096),
                as: UTF8.self
            )
            .split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
        }
    }

    /// - Parameter docker: a shell script in place of docker
    private func pin(docker: String) async throws -> Int32? {
        try Files.write(
            Array("#!/bin/sh\n\(docker)\n".utf8), to: folder.file("docker"), mode: 0o755)
        let build = try Capture(
            "/bin/sh", [folder.file("build"), "--pin"],
            environment: ["PATH": folder.path + ":/usr/bin:/bin"])
        _ = await eventually { build.process.reap() != nil }
        return build.process.exitStatus
    }

    /// Behaves as `docker buildx imagetools inspect IMAGE --format …`.
    private func registry(_ digest: String) -> String {
        """
        [ "$1 $2 $3 $5 $6" = "buildx imagetools inspect --format {{.Manifest.Digest}}" ] || exit 3
        case $4 in *@*) exit 4 ;; esac
        echo \(digest)
        """
    }

    @Test func `writes current digests each time`() async throws {
        let names = try images
        #expect(names.allSatisfy { !$0.contains("@") })
        #expect(try await pin(docker: registry(digest)) == 0)
        #expect(try images == names.map { "\($0)@\(digest)" })
        let later = "sha256:" + String(repeating: "0b", count: 32)
        #expect(try await pin(docker: registry(later)) == 0)
        #expect(try images == names.map { "\($0)@\(later)" })
    }

    @Test(arguments: ["exit 1", "echo", "echo '<no value>'"])
    func `leaves the file as it is where a registry has no digest`(docker: String) async throws {
        let before = try images
        #expect(try await pin(docker: docker) != 0)
        #expect(try images == before)
    }
}
