import Directory
import JourneysCore
import Model
import Store
import Web

/// Performs the effects of ``Journeys`` and serves readers of journeys.
package final class JourneyService {
    let host: any JourneysHost
    package let store: JourneyStore
    let readers: JourneyReaders
    let photos: PhotoFolder
    /// Whether fixes of removed journeys may be left.
    private var isForgetting = true

    package init(host: any JourneysHost, database: Database) {
        self.host = host
        store = JourneyStore(database: database)
        readers = JourneyReaders(host: host, store: store)
        photos = PhotoFolder(beside: database.path)
    }

    package func start() throws { try photos.sweep(store) }

    /// Drops what a turn had begun before its rollback.
    package func reload() {
        readers.cut()
        photos.rollBack()
        isForgetting = true
    }

    /// The directory changes in this turn.
    package func directoryWillChange() { readers.recordChange() }

    package func perform(_ effect: Journeys.Effect, for owner: any JourneysOwner) throws {
        switch effect {
        case .answer(let request, let answer):
            try owner.respond(to: request, try response(to: answer))
        case .save(let change):
            switch change {
            case .remove, .removeAll, .reset:
                isForgetting = true
                photos.markUnused(try store.photosRemoved(with: change))
            case .start, .stop, .fix, .complete, .moved, .sights: break
            }
            try store.write(change)
        }
    }

    /// The journey in its current state.
    private func response(to answer: JourneyAnswer) throws -> Response {
        func shown(_ number: Int64, status: Int) throws -> Response {
            guard let header = try store.header(number: number) else {
                return .problem(.notFound("there is no such journey"))
            }
            return .json(.object(JourneyCaption(header: header).members), status: status)
        }
        switch answer {
        case .started(let number, let isNew):
            return try shown(number, status: isNew ? 201 : 200)
        case .changed(let number): return try shown(number, status: 200)
        case .removed: return Response(status: 204)
        case .stopped:
            return .problem(
                .conflict(
                    "the journey was stopped and cannot be changed",
                    hint: "Start another journey, or delete this one."))
        case .tooMany:
            return .problem(
                .conflict(
                    "this person already has \(JourneyLimits.perPersonMax) journeys",
                    hint: "Delete a journey that is no longer needed."))
        case .denied(let denial): return .problem(.denied(denial.explanation))
        case .notFound: return .problem(.notFound("there is no object with this id"))
        }
    }

    /// Deletes removed data and serves readers; called each turn.
    package func tick() throws {
        try photos.tidy(store)
        if isForgetting { isForgetting = try store.forgetGone() }
        try readers.run()
    }

    /// When the next turn has work; nil = not by itself.
    package var nextDeadline: Timestamp? {
        isForgetting || !photos.isTidy ? host.now : readers.nextDeadline
    }

    /// Starts to export data of a person.
    ///
    /// - Parameter files: files of the archive before those of journeys
    /// - Throws: a 503 problem if too many responses are being read
    package func export(
        _ files: [ExportFile], of person: PersonID, _ request: Request, for principal: Principal
    ) throws {
        try readers.add(
            try ExportReader(
                request.id, of: person, for: principal, files: files, store: store, photos: photos))
    }
}
