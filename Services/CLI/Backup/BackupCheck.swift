import Bus
import Hosting
import Model
import Parsing
import Runtime
import Store
import Wire

/// Whether a backup is whole, and its stores belong together.
struct BackupCheck {
    struct Findings: Hashable {
        /// Each is a reason not to restore it.
        var faults: [String] = []
        /// What is worth knowing, and harmless.
        var remarks: [String] = []
    }

    let folder: String
    /// Where its secrets are, if not in it.
    let secrets: String?

    /// What it says of itself.
    func manifest() throws -> Manifest {
        let path = "\(folder)/\(Manifest.name)"
        guard Files.exists(path) else {
            throw CommandError(
                "\(folder) is no backup: it has no \(Manifest.name)",
                hint: folder.hasSuffix(".partial") ? "it was never finished" : "name another folder"
            )
        }
        let bytes = try Files.read(path, bytesMax: 256 << 20)
        guard let json = try? JSON.parse(bytes) else {
            throw CommandError("\(path) is damaged: it is no JSON")
        }
        let manifest = try Manifest(json)
        guard !isNewer(manifest.version) else {
            throw CommandError(
                "the backup was made by jaga \(manifest.version), this is \(Version.text)",
                hint: "use that version or a later one")
        }
        for store in manifest.stores { try refuseNewer(store) }
        return manifest
    }

    /// A store of a newer layout would keep its service from starting.
    private func refuseNewer(_ store: Manifest.Store) throws {
        let name = store.service.rawValue
        let known = ServiceName(rawValue: name).map(StoreLayout.newest) ?? [:]
        for (component, step) in store.layout.sorted(by: { $0.key < $1.key }) {
            let last = known[component == name ? "" : component] ?? 0
            guard step > last else { continue }
            throw CommandError(
                "\(name)'s store in the backup was written by a newer version "
                    + "(\(component) step \(step), known up to \(last))",
                hint: "use the version of jaga that made the backup, or a later one")
        }
    }

    /// Whether a version is later than this one: `1.10.0` is later than `1.9.2`.
    private func isNewer(_ version: String) -> Bool {
        let (theirs, ours) = (BackupCheck.numbers(version), BackupCheck.numbers(Version.text))
        return ours.lexicographicallyPrecedes(theirs)
    }

    private static func numbers(_ version: String) -> [Int] {
        version.split(separator: ".").map { Int($0.prefix { $0.isNumber }) ?? 0 }
    }

    /// Reads all of it.
    func findings(of manifest: Manifest) throws -> Findings {
        var findings = Findings()
        for file in manifest.stores.map(\.file) + manifest.files {
            check(file, in: folder, &findings)
        }
        switch manifest.secrets {
        case .none: findings.remarks.append("the secrets are not in this backup")
        case .here: for file in manifest.secretFiles { check(file, in: folder, &findings) }
        case .elsewhere:
            guard let secrets else {
                findings.remarks.append(
                    "the secrets were not looked at: they are in the folder of --secrets")
                break
            }
            for file in manifest.secretFiles { check(file, in: secrets, &findings) }
        }
        guard findings.faults.isEmpty else { return findings }
        for store in manifest.stores { try check(store, &findings) }
        for store in manifest.stores { compare(store, with: manifest, &findings) }
        return findings
    }

    private func check(_ file: Manifest.File, in folder: String, _ findings: inout Findings) {
        guard Files.exists("\(folder)/\(file.path)") else {
            return findings.faults.append("\(file.path) is missing")
        }
        do {
            let found = try BackupMaker.describe(file.path, in: folder)
            if found.bytes != file.bytes {
                findings.faults.append("\(file.path) has \(found.bytes) bytes, not \(file.bytes)")
            } else if found.sha256 != file.sha256 {
                findings.faults.append("\(file.path) is not the file that was written")
            }
        } catch {
            findings.faults.append("\(file.path) cannot be read: \(error)")
        }
    }

    /// A store by itself: its pages, its layout, its streams.
    private func check(_ store: Manifest.Store, _ findings: inout Findings) throws {
        let name = store.service.rawValue
        do {
            let database = try Database(reading: "\(folder)/\(store.file.path)", isStill: true)
            findings.faults += try database.damages().map { "\(name)'s store: \($0)" }
            guard findings.faults.isEmpty else { return }
            if try Manifest.layout(of: database, store.service) != store.layout {
                findings.faults.append("\(name)'s store has another layout than the manifest says")
            }
            let streams = SQLiteBusStore(database)
            let extents = try streams.extents()
            let cursors = try streams.cursors().map {
                Manifest.Cursor(stream: $0.stream, position: $0.position)
            }
            // The manifest says nothing of streams that never had a record.
            if extents.filter({ $0.head.sequence > 0 }) != store.streams
                || cursors != store.cursors
            {
                findings.faults.append("\(name)'s store has other positions than the manifest says")
            }
            for extent in extents {
                if let fault = try streams.chainFault(of: extent) {
                    findings.faults.append("\(name)'s store: \(fault)")
                }
            }
        } catch let error as StoreError {
            findings.faults.append("\(name)'s store cannot be read: \(error.message)")
        }
    }

    /// What a store has applied of the others' streams is in their logs, or its service will find
    /// that it is not, and go on from there.
    private func compare(
        _ store: Manifest.Store, with manifest: Manifest, _ findings: inout Findings
    ) {
        var others: [StreamName] = []
        for cursor in store.cursors {
            let kept = manifest.stores.lazy.compactMap { other in
                other.streams.first { $0.stream == cursor.stream }
            }.first
            guard let kept, kept.head.incarnation == cursor.position.incarnation else {
                if cursor.position.sequence > 0 { others.append(cursor.stream) }
                continue
            }
            let ahead =
                Int64(clamping: cursor.position.sequence)
                - Int64(clamping: kept.head.sequence)
            if ahead > 0 {
                findings.remarks.append(
                    "\(store.service.rawValue) is \(ahead) records ahead of the copy of "
                        + "\(cursor.stream), which was taken before; that is harmless")
            } else if ahead == 0, cursor.position.hash != kept.head.hash {
                findings.faults.append(
                    "\(store.service.rawValue) has applied another \(cursor.stream) than is here")
            }
        }
        guard let first = others.first else { return }
        let which = others.count == 1 ? "another \(first)" : "\(others.count) other streams"
        let that = others.count == 1 ? "the one that is here" : "those here, such as \(first)"
        findings.remarks.append(
            "\(store.service.rawValue) followed \(which) than \(that); it notices by itself")
    }
}
