import Glibc
import Model
import Runtime
import Web

/// Starts the programs, shows what they say, starts again those that die, and stops all.
///
/// It waits for no terminal: while nobody takes what it says, programs are looked after all the
/// same.
final class Supervisor {
    /// Everything has ended after so long, whatever it takes.
    static let stopLimit = Duration.milliseconds(3500)
    /// What was said last waits so long for a terminal that is behind.
    static let lastWordsLimit = Duration.milliseconds(200)
    /// How often a program that is not ready is asked.
    static let askPause = Duration.milliseconds(100)

    private var programs: [Program] = []
    private let signals: Signals
    private let transfers = Transfers()
    private let clock = SystemClock()
    private let terminal = ControllingTerminal()
    /// Done before programs are told to reload, such as renewing a certificate.
    private let prepareReload: () -> Void
    private var asked: [UInt64: Program] = [:]
    private var lastToken: UInt64 = 0
    private var askNext = Timestamp.zero
    private let output = Lines(to: 1)
    /// The same where both lead to one terminal: each finishes its own lines alone.
    private let errors: Lines
    private let recipes: [Program.Recipe]
    /// Said once, when every program was ready.
    private var welcome: String?
    private let width: Int

    /// - Parameters:
    ///   - welcome: said once all programs have answered
    ///   - prepareReload: done before programs are told to reload
    init(
        _ recipes: [Program.Recipe], welcome: String, prepareReload: @escaping () -> Void = {}
    ) throws(SystemError) {
        self.prepareReload = prepareReload
        signals = try Signals([.terminate, .interrupt, .hangUp, .childEnded])
        errors = Lines.areOne(1, 2) ? output : Lines(to: 2)
        self.recipes = recipes
        self.welcome = welcome
        width = recipes.map(\.name.count).max() ?? 0
    }

    /// Starts every program, and runs until a signal comes, or a program cannot be started or ends
    /// and never worked.
    ///
    /// - Returns: 0 after a signal, else 1
    func run() -> Int32 {
        do throws(SystemError) {
            for recipe in recipes { programs.append(try Program(recipe, at: clock.now)) }
        } catch {
            errors.promise("jaga: \(error)\n")
            stop()
            return 1
        }
        while true {
            Loop.wait(on: pollables, atMost: 100)
            output.settle()
            let came = signals.drain()
            if came.contains(where: endsAll) {
                output.promise("jaga: stopping\n")
                return stop() ? 0 : 1
            }
            if came.contains(.hangUp) { reload() }
            showLines()
            guard lookAfter() else {
                _ = stop()
                return 1
            }
            askWhetherReady()
        }
    }

    /// SIGHUP ends the suite only if its terminal is gone; else it is passed on.
    private func endsAll(_ signal: Signal) -> Bool {
        switch signal {
        case .terminate, .interrupt: true
        case .hangUp: terminal.isGone
        case .childEnded: false
        }
    }

    /// Has every program read its configuration again, nginx its certificates too. One that is
    /// wrong changes nothing; the program says so.
    private func reload() {
        output.promise("jaga: reloading configuration and certificates\n")
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

    /// Shows a line that the program wrote itself.
    private func show(own line: String, of program: Program) {
        let isNginx = program.recipe.name == Up.nginxName
        show(isNginx ? NginxErrorLine.masked(line) : line, of: program)
    }

    private func show(_ line: String, of program: Program) {
        let name = program.recipe.name
        let padded = name + String(repeating: " ", count: width - name.count)
        let text = Console.paint("\(padded) |", color(of: name)) + " " + line
        output.write(Lines.piece(text), notice: notice)
    }

    private func notice(of leftOut: Int) -> [UInt8] {
        Lines.piece("jaga: \(leftOut) lines were left out: nobody took them")
    }

    private func color(of name: String) -> Color {
        let colors: [Color] = [.green, .cyan, .magenta, .yellow, .blue]
        let service = Service(rawValue: String(name.prefix { $0 != "-" }))
        guard let service else { return .dim }
        return colors[service.number - 1]
    }

    /// Starts what has died; false when a program cannot work at all.
    private func lookAfter() -> Bool {
        let now = clock.now
        for program in programs {
            let name = program.recipe.name
            if let (status, rest) = program.ended(at: now) {
                for line in program.drain() { show(own: line, of: program) }
                guard program.wasReady else {
                    errors.promise(
                        "jaga: \(name) ended before it was ready (\(reason(status))); "
                            + "its last lines above say why\n")
                    return false
                }
                show(
                    "ended (\(reason(status))); starts again in \(rest.milliseconds) ms",
                    of: program)
                if status == 128 + SIGKILL {
                    show(
                        "signal 9 did not come from jaga: out of memory? see: journalctl -k | "
                            + "grep -i 'out of memory'", of: program)
                }
            }
            do throws(SystemError) {
                try program.restartIfDue(at: now)
            } catch {
                errors.promise("jaga: \(error)\n")
                return false
            }
        }
        return true
    }

    private func reason(_ status: Int32) -> String {
        status > 128 ? "signal \(status - 128)" : "status \(status)"
    }

    private func askWhetherReady() {
        for result in transfers.drain() {
            guard let program = asked.removeValue(forKey: result.token),
                case .answered(let answer) = result.outcome, program.child != nil,
                program.recipe.readyStatuses.contains(answer.status)
            else { continue }
            program.isReady = true
            program.wasReady = true
            show("ready, \(program.recipe.place)", of: program)
        }
        if programs.allSatisfy(\.wasReady), let text = welcome {
            welcome = nil
            output.promise(text + "\n")
        }
        guard clock.now >= askNext else { return }
        askNext = clock.now + Supervisor.askPause
        let busy = asked.values.map(ObjectIdentifier.init)
        for program in programs
        where !program.isReady && program.child != nil && !busy.contains(ObjectIdentifier(program))
        {
            lastToken += 1
            asked[lastToken] = program
            transfers.start(
                Transfer(
                    token: lastToken, .http(HTTPCall(.get, program.recipe.readyURL)),
                    timeoutMilliseconds: 1000))
        }
    }

    /// Ends everything: the door first, so that no request is cut by a service that leaves before
    /// it; then evaluators, while there is somebody to take what is new of them; then the rest.
    /// Whoever is slow is killed, and so are all after a second signal.
    ///
    /// - Returns: whether all ended by themselves
    @discardableResult
    private func stop() -> Bool {
        transfers.stop()
        let begun = clock.now
        var isClean = true
        func end(_ some: [Program], by signal: Int32, within limit: Duration) -> Bool {
            for program in some { program.child?.send(signal) }
            return wait(for: some, until: begun + limit)
        }
        let doors = programs.filter { $0.recipe.name == Up.nginxName }
        let evaluators = programs.filter { $0.recipe.name.hasPrefix(Service.evaluator.rawValue) }
        _ =
            end(doors, by: SIGQUIT, within: .seconds(1))
            && end(evaluators, by: SIGTERM, within: .milliseconds(2500))
            && end(programs.reversed(), by: SIGTERM, within: Supervisor.stopLimit)
        for program in programs where program.child?.reap() == nil && program.child != nil {
            show("does not stop; killed", of: program)
            program.child?.send(SIGKILL)
            isClean = false
        }
        wait(for: programs, until: clock.now + .seconds(1))
        for program in programs { program.child?.killRest() }
        showLines()
        output.promiseNotice(notice)
        for lines in [output, errors] { lines.settle(within: Supervisor.lastWordsLimit) }
        return isClean
    }

    /// Shows lines until all have ended, the time is over or another signal comes.
    ///
    /// - Returns: whether no signal came
    @discardableResult
    private func wait(for programs: [Program], until limit: Timestamp) -> Bool {
        func isOver() -> Bool { programs.allSatisfy { $0.child.map { $0.reap() != nil } ?? true } }
        while !isOver(), clock.now < limit {
            Loop.wait(on: [signals] + self.programs.compactMap(\.child), atMost: 50)
            showLines()
            if signals.drain().contains(where: { $0 != .childEnded }) { return false }
        }
        return true
    }
}
