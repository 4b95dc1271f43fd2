import Directory
import Model
import Parsing
import Store

/// Rows of what the notifier published about who can be reached.
struct ReachabilityRows {
    static let tablesSQL = """
        CREATE TABLE gateway (
            name TEXT PRIMARY KEY,
            body TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE unreachable_contact (
            contact BLOB PRIMARY KEY CHECK (length(contact) = 16),
            problem TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    let database: Database

    func save(_ change: ReachabilityChange) throws {
        if let gateways = change.gateways {
            try database.run("DELETE FROM gateway")
            for gateway in gateways {
                try database.run(
                    "INSERT OR REPLACE INTO gateway VALUES (?, ?)", .text(gateway.name),
                    .text(try JSON.encode(gateway).text))
            }
        }
        for state in change.contacts {
            if let problem = state.problem {
                try database.run(
                    "INSERT OR REPLACE INTO unreachable_contact VALUES (?, ?)",
                    .id(state.contact), .text(problem.rawValue))
            } else {
                try remove(state.contact)
            }
        }
    }

    func remove(_ contact: ContactPointKey) throws {
        try database.run("DELETE FROM unreachable_contact WHERE contact = ?", .id(contact))
    }

    func all() throws -> Reachability {
        let gateways: [GatewayState] = try database.all("SELECT body FROM gateway ORDER BY name") {
            try JSON.parse(Array($0.text(0).utf8)).decode(GatewayState.self)
        }
        let problems: [(ContactPointKey, ContactProblem)] = try database.all(
            "SELECT contact, problem FROM unreachable_contact"
        ) { row in
            guard let problem = ContactProblem(rawValue: row.text(1)) else {
                fatalError("broken invariant: contact row with an unknown problem")
            }
            return (row.id(0), problem)
        }
        return Reachability(
            gateways: gateways.isEmpty ? nil : gateways,
            problems: Dictionary(problems) { first, _ in first })
    }
}
