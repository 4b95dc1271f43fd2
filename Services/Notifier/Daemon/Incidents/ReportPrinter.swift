import Model
import NotifierCore
import Parsing
import Runtime
import Web

/// Queue of reports that another process prints as PDF, one after the other.
///
/// Fonts and layout are no work for the process that notifies people: `jaga-report` does it with
/// little memory and is killed when it takes too long. One process prints one report.
final class ReportPrinter: Pollable {
    private struct Job {
        var request: UInt64
        var message: [UInt8]
    }

    private let program: String?
    private var waiting: [Job] = []
    private var running: (job: Job, worker: WorkerProcess, until: Timestamp)?
    /// Responses whose turn is not committed.
    private var done: [(request: UInt64, response: Response)] = []

    /// - Parameter program: path of `jaga-report`; nil = beside this program
    init(program: String? = nil) { self.program = program }

    /// Requests that are not answered, or whose answer is not committed.
    var requests: Set<UInt64> {
        Set(waiting.map(\.request) + done.map(\.request) + (running.map { [$0.job.request] } ?? []))
    }

    /// Queues a report.
    ///
    /// - Throws: 503 if too many wait
    func append(_ report: PrintedReport, for request: UInt64, at now: Timestamp) throws {
        guard waiting.count < Limits.reportsWaitingMax else {
            throw Problem.unavailable("too many reports are being printed", retryAfterSeconds: 5)
        }
        waiting.append(Job(request: request, message: try JSON.encode(report).serialized()))
        start(at: now)
    }

    /// The responses that are ready; they are returned again until ``committed()``.
    func finished(at now: Timestamp) -> [(request: UInt64, response: Response)] {
        receive(at: now)
        start(at: now)
        return done
    }

    func committed() { done.removeAll() }

    private func receive(at now: Timestamp) {
        guard let (job, worker, until) = running else { return }
        switch worker.receive() {
        case .message(let document) where document.starts(with: Array("%PDF-".utf8)):
            var response = Response(status: 200, body: document)
            response.headers["Content-Type"] = "application/pdf"
            response.headers["Cache-Control"] = "no-store"
            conclude(job, response)
        case .message, .ended: conclude(job, ReportPrinter.failure)
        case .nothing where until <= now: conclude(job, ReportPrinter.failure)
        case .nothing: break
        }
    }

    private func conclude(_ job: Job, _ response: Response) {
        running?.worker.kill()
        running = nil
        done.append((job.request, response))
    }

    private func start(at now: Timestamp) {
        while running == nil, !waiting.isEmpty {
            let job = waiting.removeFirst()
            guard let path, let worker = try? WorkerProcess(path: path, arguments: []) else {
                done.append((job.request, ReportPrinter.failure))
                continue
            }
            running = (job, worker, now + Limits.reportTimeMax)
            worker.send(job.message)
        }
    }

    private var path: String? {
        if let program { return program }
        guard let own = try? Files.real("/proc/self/exe"), let end = own.lastIndex(of: "/") else {
            return nil
        }
        return own[...end] + "jaga-report"
    }

    private static let failure = Response.problem(
        .unavailable("the report could not be printed; read it as JSON"))

    // MARK: Pollable

    func appendPollItems(to items: inout [PollItem]) {
        running?.worker.appendPollItems(to: &items)
    }

    var waitMilliseconds: Int? { done.isEmpty ? (running == nil ? nil : 500) : 0 }
}
