import Model
import Runtime
import Store
import Wire

@testable import Bus
@testable import EvaluatorDaemon
@testable import Hosting
@testable import IngestDaemon
@testable import MembershipDaemon
@testable import NotifierDaemon
@testable import TimerDaemon

/// One of the five programs, as a process would start it.
struct Program: Sendable {
    let definition: ServiceDefinition
    let configuration: Configuration
    let make: @Sendable (Host) throws -> any Service

    init(
        _ definition: ServiceDefinition, _ environment: [String: String],
        make: @escaping @Sendable (Host) throws -> any Service
    ) throws {
        self.definition = definition
        self.make = make
        configuration = try Configuration(
            settings: CommonSettings.all + definition.settings, environment: environment,
            service: definition.name.rawValue)
    }

    var name: ServiceName { definition.name }
    var topology: Topology { Topology(configuration) }
    var migrations: [Migration] { HostParts.migrations(definition) }
    var busConfiguration: Bus.Configuration { HostParts.busConfiguration(definition, topology) }

    /// - Parameter home: a folder with the operator's token
    static func all(home: String) throws -> [ServiceName: Program] {
        let common = ["JAGA_HOME": home]
        let gateways = [
            "JAGA_SMS_GATEWAY": "kannel", "JAGA_SMS_URL": "http://sms.test/send",
            "JAGA_SMS_USER": "jaga", "JAGA_SMS_PASSWORD_FILE": home + "/secrets/operator.token",
            "JAGA_MAIL_URL": "smtp://mail.test:25", "JAGA_MAIL_FROM": "Jaga <jaga@jaga.test>",
            "JAGA_PUBLIC_URL": "http://jaga.test",
        ]
        let timer = [
            "JAGA_TIMER_GRACE_SECONDS": "4", "JAGA_TIMER_REMINDER_SECONDS": "3",
            "JAGA_TIMER_ALARM_URL": Carrier.alarmURL,
        ]
        let programs = [
            try Program(IngestDaemon.Main.definition, common, make: IngestDaemon.Main.make),
            try Program(MembershipDaemon.Main.definition, common) { try MembershipService($0) },
            try Program(
                EvaluatorDaemon.Main.definition,
                common.merging(["JAGA_EVALUATOR_CHECKPOINT_SECONDS": "10"]) { $1 }
            ) { EvaluatorService(host: $0) },
            try Program(
                TimerDaemon.Main.definition, common.merging(timer) { $1 },
                make: TimerDaemon.Main.make),
            try Program(
                NotifierDaemon.Main.definition, common.merging(gateways) { $1 },
                make: NotifierDaemon.Main.make),
        ]
        return Dictionary(uniqueKeysWithValues: programs.map { ($0.name, $0) })
    }
}
