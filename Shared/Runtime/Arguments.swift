/// Command-line arguments common to all services.
public struct Arguments: Sendable, Equatable {
    /// What the process should do.
    public enum Action: Sendable, Equatable {
        case run, help, version, printConfiguration, check, health
    }

    public var action: Action = .run
    /// Settings given as arguments; they take precedence over the environment.
    public var overrides: [String: String] = [:]
    /// The configuration file given by `--config`.
    public var file: String?

    private static let flags = ["--home": "JAGA_HOME", "--port-base": "JAGA_PORT_BASE"]

    /// - Parameter words: the command line without the program's name
    public init(_ words: [String]) throws(ConfigurationError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let flag = String(parts[0])
            switch flag {
            case "--help", "-h": action = .help
            case "--version": action = .version
            case "--print-configuration": action = .printConfiguration
            case "--dry-run": overrides["JAGA_DRY_RUN"] = "on"
            case "--check": action = .check
            case "--health": action = .health
            case "--config", "--home", "--port-base":
                guard let value = parts.count > 1 ? String(parts[1]) : rest.popFirst() else {
                    throw ConfigurationError(
                        "argument-incomplete", "\(flag) needs a value",
                        hint: "Write \(flag) VALUE.", operation: "read arguments")
                }
                if let name = Arguments.flags[flag] {
                    overrides[name] = value
                } else {
                    file = value
                }
            default:
                throw ConfigurationError(
                    "argument-unknown", "\(flag) is not an argument of this program",
                    hint: "List the arguments with --help.", operation: "read arguments")
            }
        }
    }

    /// Text of `--help`.
    public static let help = """
          --home DIR              folder of configuration, secrets and stores (JAGA_HOME)
          --config FILE           configuration file; default: jaga.conf in the home folder
          --port-base N           first port of the suite (JAGA_PORT_BASE)
          --dry-run               send nothing outside (JAGA_DRY_RUN)
          --print-configuration   print all settings with values, defaults and units
          --check                 check settings, keys, secrets and the store
          --health                check whether the running service is ready
          --version               print the version
          --help                  print this help
        """
}
