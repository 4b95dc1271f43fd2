import Foundation

/// gammu-smsd with a dummy phone, and its HTTP front end from `deploy/`.
public final class GammuKit: GatewayKit {
    public static let isInstalled =
        GatewayKit.isInstalled(
            "/usr/bin/gammu-smsd", "/usr/bin/gammu-smsd-inject", "/usr/bin/sqlite3")
        && ["x86_64", "aarch64"].contains {
            FileManager.default.fileExists(atPath: "/usr/lib/\($0)-linux-gnu/dbd/libdbdsqlite3.so")
        }
    public static let user = "jaga"
    public static let password = "s3cret"

    public init() throws { try super.init("gammu", ports: ["PORT"]) }

    public var url: String { "http://127.0.0.1:\(port("PORT"))" }

    /// Address for incoming texts; set it before the start.
    public var replyAddress: String? {
        didSet { settings["REPLIES"] = replyAddress }
    }

    /// Everything that the phone was given to send, oldest first: number and text of each part.
    public func sent() async throws -> [String] {
        try await sql(
            "SELECT DestinationNumber || ' ' || TextDecoded FROM sentitems ORDER BY rowid")
    }

    /// Stores an incoming text like gammu-smsd: its dummy phone cannot receive any.
    public func receive(_ text: String, from sender: String) async throws {
        _ = try await sql(
            "INSERT INTO inbox (Text, UDH, RecipientID, SenderNumber, TextDecoded) "
                + "VALUES ('', '', '', '\(sender)', '\(text)')")
    }

    /// Incoming texts that were not forwarded yet.
    public func untold() async throws -> [String] {
        try await sql("SELECT TextDecoded FROM inbox WHERE Processed = 'false'")
    }

    private func sql(_ statement: String) async throws -> [String] {
        let capture = try Capture(
            "/usr/bin/sqlite3", ["-cmd", ".timeout 10000", folder.file("kit/sms.db"), statement])
        guard await eventually({ capture.process.reap() != nil }) else {
            throw TestFailure("sqlite3 does not end")
        }
        return capture.lines.map(String.init)
    }
}
