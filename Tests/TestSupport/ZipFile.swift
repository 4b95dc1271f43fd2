import Foundation

/// An entry of a ZIP archive, read by an independent program.
public enum ZipFile {
    public struct Entry: Hashable {
        public var name: String
        /// In UTC, such as `2026-11-20 10:20:30`.
        public var date: String
        public var content: [UInt8]

        public var text: String { String(decoding: content, as: UTF8.self) }
    }

    /// Reads all entries.
    public static func read(_ archive: [UInt8]) throws -> [Entry] {
        let folder = try TemporaryFolder()
        let path = folder.file("some.zip")
        try Data(archive).write(to: URL(fileURLWithPath: path))
        let script = """
            import base64, sys, zipfile
            with zipfile.ZipFile(sys.argv[1]) as archive:
                assert archive.testzip() is None
                for entry in archive.infolist():
                    date = "%04d-%02d-%02d %02d:%02d:%02d" % entry.date_time
                    content = base64.b64encode(archive.read(entry)).decode()
                    print(entry.filename, date, content, sep="|")
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script, path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Broken() }
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map { line in
            let parts = line.split(separator: "|", omittingEmptySubsequences: false)
            return Entry(
                name: String(parts[0]), date: String(parts[1]),
                content: Array(Data(base64Encoded: String(parts[2])) ?? Data()))
        }
    }

    struct Broken: Error {}
}
