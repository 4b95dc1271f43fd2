import Archives
import Model
import Parsing

/// One archive of the parts of a person's export, with an index of them.
///
/// Each service delivers its part at a path of its own. If one does not answer, its part is missing
/// and the index says so, so that nobody mistakes the archive for complete.
struct ExportArchive {
    /// Why a part is missing.
    struct Missing: Error, Hashable {
        let reason: String
        init(_ reason: String) { self.reason = reason }
    }

    struct Part {
        let name: String
        let service: ServiceName
        let content: Result<JSON, Missing>
    }

    /// The archive of ingest.
    let main: Result<[UInt8], Missing>
    let parts: [Part]

    private static let mainName = "reports, journeys, photos, decisions, emergencies, access log"

    /// Parts that are missing, with the reason.
    var missing: [(name: String, reason: String)] {
        var missing: [(name: String, reason: String)] = []
        if case .failure(let why) = main { missing.append((ExportArchive.mainName, why.reason)) }
        for part in parts {
            if case .failure(let why) = part.content { missing.append((part.name, why.reason)) }
        }
        return missing
    }

    /// Whether all parts are missing.
    var isEmpty: Bool { missing.count == parts.count + 1 }

    /// The ZIP archive. Returns nil if ingest's archive is invalid.
    func bytes(at time: Timestamp) -> [UInt8]? {
        var archive: [UInt8] = []
        var zip = ZipWriter()
        if case .success(let bytes) = main {
            var rest = 0
            guard let continued = ZipWriter(continuing: bytes, rest: &rest) else { return nil }
            zip = continued
            archive = Array(bytes[..<rest])
        }
        for part in parts {
            guard case .success(let json) = part.content else { continue }
            archive += zip.add(part.name, json.serialized(), at: time)
        }
        archive += zip.add("index.json", index(at: time).serialized(), at: time)
        return archive + zip.finish()
    }

    private func index(at time: Timestamp) -> JSON {
        func entry(_ name: String, _ service: ServiceName, _ missing: Missing?) -> JSON {
            [
                "part": .string(name), "service": .string(service.rawValue),
                "complete": .bool(missing == nil),
                "missing": missing.map { .string($0.reason) } ?? .null,
            ]
        }
        func failure<Value>(_ result: Result<Value, Missing>) -> Missing? {
            if case .failure(let missing) = result { missing } else { nil }
        }
        return [
            "at": .string(time.description), "complete": .bool(missing.isEmpty),
            "parts": .array(
                [entry(ExportArchive.mainName, .ingest, failure(main))]
                    + parts.map { entry($0.name, $0.service, failure($0.content)) }),
        ]
    }
}
