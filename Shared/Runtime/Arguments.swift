/// The flags that every service understands.
public struct Arguments: Sendable, Equatable {
    /// What the process was started for.
    public enum Action: Sendable, Equatable {
        case run, help, version, printConfiguration, check, health
    }

    public var action: Action = .run
    /// Settings given by flags; they beat the environment.
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
            case "--rehearsal": overrides["JAGA_REHEARSAL"] = "on"
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
                    "argument-unknown", "\(flag) is no argument of this program",
                    hint: "--help lists them.", operation: "read arguments")
            }
        }
    }

    /// Lines for `--help`.
    public static let help = """
          --home DIR              folder of configuration, secrets and stores (JAGA_HOME)
          --config FILE           configuration file, instead of jaga.conf in the home folder
          --port-base N           all ports are counted from here (JAGA_PORT_BASE)
          --rehearsal             send nothing outside (JAGA_REHEARSAL)
          --print-configuration   show every setting with its value, default and unit, and end
          --check                 try settings, keys, secrets and the store, and end
          --health                ask the service that runs here whether it is ready, and end
          --version               show the version, and end
          --help                  show this, and end
        """
}
