import Foundation
import Runtime
import TestSupport
import Testing

/// `deploy/build` with a script as registry and engine.
@Suite struct `Base images` {
    private let folder: TemporaryFolder
    private let digest = "sha256:" + String(repeating: "0a", count: 32)

    init() throws {
        folder = try TemporaryFolder()
        let deploy = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "deploy")
        try Files.makeFolder(folder.file("deploy"), mode: 0o700)
        try Files.makeFolder(folder.file("Shared/Model"), mode: 0o700)
        for name in ["build", "base-images.env", "../Shared/Model/Version.swift"] {
            try FileManager.default.copyItem(
                atPath: deploy.appending(path: name).standardized.path,
                toPath: folder.file("deploy/" + name))
        }
    }

    private var images: [String] {
        get throws {
            String(
                decoding: try Files.read(folder.file("deploy/base-images.env"), bytesMax: 4096),
                as: UTF8.self
            )
            .split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
        }
    }

    /// - Parameter docker: a shell script in place of docker
    private func build(_ words: String..., docker: String) async throws -> Int32? {
        try Files.write(
            Array("#!/bin/sh\n\(docker)\n".utf8), to: folder.file("docker"), mode: 0o755)
        let build = try Capture(
            "/bin/sh", [folder.file("deploy/build")] + words,
            environment: ["PATH": folder.path + ":/usr/bin:/bin"])
        _ = await eventually { build.process.reap() != nil }
        return build.process.exitStatus
    }

    /// Writes the base images of a build into a file.
    private var engine: String {
        """
        if [ "$1" = compose ]; then
            echo "$SWIFT_IMAGE" >\(folder.file("built"))
            echo "$DEBIAN_IMAGE" >>\(folder.file("built"))
            exit 0
        fi
        """
    }

    private var built: [String] {
        get throws {
            String(decoding: try Files.read(folder.file("built")), as: UTF8.self)
                .split(separator: "\n").map(String.init)
        }
    }

    /// Behaves as `docker buildx imagetools inspect IMAGE --format …`.
    private func registry(_ digest: String) -> String {
        """
        [ "$1 $2 $3 $5 $6" = "buildx imagetools inspect --format {{.Manifest.Digest}}" ] || exit 3
        case $4 in *@*) exit 4 ;; esac
        echo \(digest)
        """
    }

    @Test func `are pinned to their current digests each time`() async throws {
        let names = try images
        #expect(names.allSatisfy { !$0.contains("@") })
        #expect(try await build("--pin", docker: registry(digest)) == 0)
        #expect(try images == names.map { "\($0)@\(digest)" })
        let later = "sha256:" + String(repeating: "0b", count: 32)
        #expect(try await build("--pin", docker: registry(later)) == 0)
        #expect(try images == names.map { "\($0)@\(later)" })
    }

    @Test(arguments: ["exit 1", "echo", "echo '<no value>'"])
    func `stay as they are if a registry has no digest`(docker: String) async throws {
        let before = try images
        #expect(try await build("--pin", docker: docker) != 0)
        #expect(try images == before)
    }

    @Test func `are used by digest, pinned or not`() async throws {
        let names = try images.map { String($0.drop { $0 != "=" }.dropFirst()) }
        let docker = engine + "\n" + registry(digest)
        #expect(try await build(docker: docker) == 0)
        #expect(try built == names.map { "\($0)@\(digest)" })
        #expect(try images.allSatisfy { !$0.contains("@") }, "the file is not touched")
        #expect(try await build("--pin", docker: docker) == 0)
        // A pinned image needs no registry.
        #expect(try await build("prepare", docker: engine + "\nexit 1") == 0)
        #expect(try built == names.map { "\($0)@\(digest)" })
    }

    @Test func `are used by name only if that is asked for`() async throws {
        let names = try images.map { String($0.drop { $0 != "=" }.dropFirst()) }
        let docker = engine + "\nexit 1"
        #expect(try await build(docker: docker) == 1)
        #expect(!Files.exists(folder.file("built")), "nothing is built without digests")
        #expect(try await build("--local", docker: docker) == 0)
        #expect(try built == names)
        #expect(try await build("--pin", docker: registry(digest)) == 0)
        #expect(try await build("--local", docker: docker) == 0)
        #expect(try built == names)
    }
}
