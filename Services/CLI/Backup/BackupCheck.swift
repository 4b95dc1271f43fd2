import Bus
import Hosting
import Model
import Parsing
import Runtime
import Store
import Wire

/// Verifies a backup: files, stores, and whether the stores are consistent.
struct BackupCheck {
    struct Findings: Hashable {
        /// Reasons not to restore the backup.
        var faults: [String] = []
        /// Harmless remarks.
        var remarks: [String] = []
    }

    let folder: String
    /// Folder of the secrets, if they are not in the backup.
    let secrets: String?

    /// Reads the manifest.
    func manifest() throws -> Manifest {
        let path = "\(folder)/\(Manifest.name)"
        guard Files.exists(path) else {
            throw CommandError(
                "\(folder) is not a backup: it has no \(Manifest.name)",
                hint: folder.hasSuffix(".partial")
                    ? "the backup was not finished" : "name another folder"
            )
        }
        let bytes = try Files.read(path, bytesMax: 256 << 20)
        guard let json = try? JSON.parse(bytes) else {
            throw CommandError("\(path) is damaged: invalid JSON")
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

    /// Rejects stores of a newer layout, which would keep their service from starting.
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

    /// Whether a version is newer than this one: `1.10.0` is newer than `1.9.2`.
    private func isNewer(_ version: String) -> Bool {
        let (theirs, ours) = (BackupCheck.numbers(version), BackupCheck.numbers(Version.text))
        return ours.lexicographicallyPrecedes(theirs)
    }

    private static func numbers(_ version: String) -> [Int] {
        version.split(separator: ".").map { Int($0.prefix { $0.isNumber }) ?? 0 }
    }

    /// Verifies all files and stores.
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
                    "the secrets were not verified: name their folder with --secrets")
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
                findings.faults.append("\(file.path) has another SHA-256 than the manifest")
            }
        } catch {
            findings.faults.append("\(file.path) cannot be read: \(error)")
        }
    }

    /// Verifies a store: pages, layout and streams.
    private func check(_ store: Manifest.Store, _ findings: inout Findings) throws {
        let name = store.service.rawValue
        do {
            let database = try Database(reading: "\(folder)/\(store.file.path)", isImmutable: true)
            findings.faults += try database.integrityProblems().map { "\(name)'s store: \($0)" }
            guard findings.faults.isEmpty else { return }
            if try Manifest.layout(of: database, store.service) != store.layout {
                findings.faults.append("\(name)'s store has another layout than the manifest")
            }
            let streams = SQLiteBusStore(database)
            let extents = try streams.extents()
            let cursors = try streams.cursors().map {
                Manifest.Cursor(stream: $0.stream, position: $0.position)
            }
            // The manifest omits streams that never had a record.
            if extents.filter({ $0.head.sequence > 0 }) != store.streams
                || cursors != store.cursors
            {
                findings.faults.append("\(name)'s store has other positions than the manifest")
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

    /// Compares a store's positions with the logs of other services. If a log is missing or behind,
    /// the service detects that and continues from there.
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
                        + "\(cursor.stream), which was copied earlier; this is harmless")
            } else if ahead == 0, cursor.position.hash != kept.head.hash {
                findings.faults.append(
                    "\(store.service.rawValue) has applied another \(cursor.stream) than the backup"
                )
            }
        }
        guard let first = others.first else { return }
        let which = others.count == 1 ? "another \(first)" : "\(others.count) other streams"
        let that = others.count == 1 ? "the backup's" : "the backup's, such as \(first)"
        findings.remarks.append(
            "\(store.service.rawValue) followed \(which) than \(that); it detects this itself")
    }
}
