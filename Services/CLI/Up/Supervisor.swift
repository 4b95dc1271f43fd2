import Glibc
import Model
import Runtime
import Web

/// Starts programs, shows their output, restarts those that end, and stops all.
///
/// Output never blocks supervision: while the terminal does not accept it, programs are still
/// supervised.
final class Supervisor {
    /// Time limit for stopping all programs.
    static let stopLimit = Duration.milliseconds(3500)
    /// Time limit for writing the last lines to a slow terminal.
    static let flushLimit = Duration.milliseconds(200)
    /// Polling interval for readiness.
    static let pollInterval = Duration.milliseconds(100)

    private var programs: [Program] = []
    private let signals: Signals
    private let transfers = Transfers()
    private let clock = SystemClock()
    private let terminal = ControllingTerminal()
    /// Called before programs reload, for example to renew a certificate.
    private let prepareReload: () -> Void
    private var pending: [UInt64: Program] = [:]
    private var lastToken: UInt64 = 0
    private var nextPoll = Timestamp.zero
    private let output = Lines(to: 1)
    /// Equals `output` if both are one terminal, so that their lines do not mix.
    private let errors: Lines
    private let recipes: [Program.Recipe]
    /// Printed once all programs are ready.
    private var welcome: String?
    private let width: Int

    /// - Parameters:
    ///   - welcome: printed once all programs are ready
    ///   - prepareReload: called before programs reload
    init(
        _ recipes: [Program.Recipe], welcome: String, prepareReload: @escaping () -> Void = {}
    ) throws(SystemError) {
        self.prepareReload = prepareReload
        signals = try Signals([.terminate, .interrupt, .hangUp, .childEnded])
        errors = Lines.areSame(1, 2) ? output : Lines(to: 2)
        self.recipes = recipes
        self.welcome = welcome
        width = recipes.map(\.name.count).max() ?? 0
    }

    /// Starts every program and runs until a signal arrives, or a program fails to start or ends
    /// before it was ready.
    ///
    /// - Returns: 0 after a signal, else 1
    func run() -> Int32 {
        do throws(SystemError) {
            for recipe in recipes { programs.append(try Program(recipe, at: clock.now)) }
        } catch {
            errors.enqueue("jaga: \(error)\n")
            stop()
            return 1
        }
        while true {
            Loop.wait(on: pollables, atMost: 100)
            output.flush()
            let received = signals.drain()
            if received.contains(where: endsAll) {
                output.enqueue("jaga: stopping\n")
                return stop() ? 0 : 1
            }
            if received.contains(.hangUp) { reload() }
            showLines()
            guard restartEnded() else {
                _ = stop()
                return 1
            }
            pollReadiness()
        }
    }

    /// Whether a signal stops the suite. SIGHUP does only if its terminal is gone; else it means
    /// reload.
    private func endsAll(_ signal: Signal) -> Bool {
        switch signal {
        case .terminate, .interrupt: true
        case .hangUp: terminal.isGone
        case .childEnded: false
        }
    }

    /// Passes the reload to every program. An invalid configuration changes nothing; the program
    /// logs it.
    private func reload() {
        output.enqueue("jaga: reloading configuration and certificates\n")
        prepareReload()
        for program in programs { program.child?.send(SIGHUP) }
    }

    private var pollables: [any Pollable] {
        [signals, transfers] + programs.compactMap(\.child)
    }

    private func showLines() {
        for program in programs {
            for line in program.drain() { show(own: line, of: program) }
        }
    }

    /// Shows a line of the program's own output.
    private func show(own line: String, of program: Program) {
        let isNginx = program.recipe.name == Up.nginxName
        show(isNginx ? NginxErrorLine.masked(line) : line, of: program)
    }

    private func show(_ line: String, of program: Program) {
        let name = program.recipe.name
        let padded = name + String(repeating: " ", count: width - name.count)
        let text = Console.paint("\(padded) |", color(of: name)) + " " + line
        output.write(Lines.line(text), notice: notice)
    }

    private func notice(of leftOut: Int) -> [UInt8] {
        Lines.line("jaga: \(leftOut) log lines dropped")
    }

    private func color(of name: String) -> Color {
        let colors: [Color] = [.green, .cyan, .magenta, .yellow, .blue]
        let service = Service(rawValue: String(name.prefix { $0 != "-" }))
        guard let service else { return .dim }
        return colors[service.number - 1]
    }

    /// Restarts ended programs. Returns false if a program cannot run at all.
    private func restartEnded() -> Bool {
        let now = clock.now
        for program in programs {
            let name = program.recipe.name
            if let (status, rest) = program.ended(at: now) {
                for line in program.drain() { show(own: line, of: program) }
                guard program.wasReady else {
                    errors.enqueue(
                        "jaga: \(name) ended before it was ready (\(reason(status))); "
                            + "see its last lines above\n")
                    return false
                }
                show(
                    "ended (\(reason(status))); restarting in \(rest.milliseconds) ms",
                    of: program)
                if status == 128 + SIGKILL {
                    show(
                        "signal 9 was not sent by jaga; if out of memory, see: journalctl -k | "
                            + "grep -i 'out of memory'", of: program)
                }
            }
            do throws(SystemError) {
                try program.restartIfDue(at: now)
            } catch {
                errors.enqueue("jaga: \(error)\n")
                return false
            }
        }
        return true
    }

    private func reason(_ status: Int32) -> String {
        status > 128 ? "signal \(status - 128)" : "status \(status)"
    }

    private func pollReadiness() {
        for result in transfers.drain() {
            guard let program = pending.removeValue(forKey: result.token),
                case .answered(let answer) = result.outcome, program.child != nil,
                program.recipe.readyStatuses.contains(answer.status)
            else { continue }
            program.isReady = true
            program.wasReady = true
            show("ready, \(program.recipe.address)", of: program)
        }
        if programs.allSatisfy(\.wasReady), let text = welcome {
            welcome = nil
            output.enqueue(text + "\n")
        }
        guard clock.now >= nextPoll else { return }
        nextPoll = clock.now + Supervisor.pollInterval
        let busy = pending.values.map(ObjectIdentifier.init)
        for program in programs
        where !program.isReady && program.child != nil && !busy.contains(ObjectIdentifier(program))
        {
            lastToken += 1
            pending[lastToken] = program
            transfers.start(
                Transfer(
                    token: lastToken, .http(HTTPCall(.get, program.recipe.readyURL)),
                    timeoutMilliseconds: 1000))
        }
    }

    /// Stops all programs: nginx first, so that no request is cut off; then evaluators, while
    /// ingest still accepts their output; then the rest. Slow programs are killed, and all after a
    /// second signal.
    ///
    /// - Returns: whether all ended without being killed
    @discardableResult
    private func stop() -> Bool {
        transfers.stop()
        let begun = clock.now
        var isClean = true
        func end(_ some: [Program], by signal: Int32, within limit: Duration) -> Bool {
            for program in some { program.child?.send(signal) }
            return wait(for: some, until: begun + limit)
        }
        let proxies = programs.filter { $0.recipe.name == Up.nginxName }
        let evaluators = programs.filter { $0.recipe.name.hasPrefix(Service.evaluator.rawValue) }
        _ =
            end(proxies, by: SIGQUIT, within: .seconds(1))
            && end(evaluators, by: SIGTERM, within: .milliseconds(2500))
            && end(programs.reversed(), by: SIGTERM, within: Supervisor.stopLimit)
        for program in programs where program.child?.reap() == nil && program.child != nil {
            show("did not stop; killed", of: program)
            program.child?.send(SIGKILL)
            isClean = false
        }
        wait(for: programs, until: clock.now + .seconds(1))
        for program in programs { program.child?.killGroup() }
        showLines()
        output.enqueueNotice(notice)
        for lines in [output, errors] { lines.flush(within: Supervisor.flushLimit) }
        return isClean
    }

    /// Shows output until all have ended, the time is over or another signal arrives.
    ///
    /// - Returns: whether no signal arrived
    @discardableResult
    private func wait(for programs: [Program], until limit: Timestamp) -> Bool {
        func haveEnded() -> Bool {
            programs.allSatisfy { $0.child.map { $0.reap() != nil } ?? true }
        }
        while !haveEnded(), clock.now < limit {
            Loop.wait(on: [signals] + self.programs.compactMap(\.child), atMost: 50)
            showLines()
            if signals.drain().contains(where: { $0 != .childEnded }) { return false }
        }
        return true
    }
}
