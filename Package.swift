// swift-tools-version: 6.2
import PackageDescription

// The targets stand in dependency order, lowest level first. A target may import only what is
// listed here: `make build` passes --explicit-target-dependency-import-check error.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
]

/// A module of `Shared/`.
func shared(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Shared/\(name)",
        exclude: name == "Wire" ? ["README.md"] : [], swiftSettings: settings)
}

/// The pure core of a service.
func core(_ service: String, _ more: [Target.Dependency] = []) -> Target {
    .target(
        name: "\(service)Core",
        dependencies: ["Model", "Collections", "Geometry", "Timing", "Directory", "Hashing"] + more,
        path: "Services/\(service)/Core", swiftSettings: settings)
}

/// The thin executable around a core.
func daemon(_ service: String, _ more: [Target.Dependency] = []) -> Target {
    .executableTarget(
        name: "\(service)Daemon",
        dependencies: [
            .byName(name: "\(service)Core"), "Model", "API", "Timing", "Wire", "Directory",
            "Hashing", "Parsing", "Runtime", "Store", "Bus", "Web", "Hosting",
        ] + more,
        path: "Services/\(service)/Daemon", swiftSettings: settings)
}

/// A C library from Debian: a module map and a shim.
func library(_ name: String) -> Target {
    .systemLibrary(name: name, path: "Shared/\(name)")
}

/// Tests of one module.
func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: dependencies + ["Model", "TestSupport"],
        path: "Tests/\(name)Tests", exclude: exclude, swiftSettings: settings)
}

let package = Package(
    name: "jaga",
    products: [
        .executable(name: "jaga-ingest", targets: ["IngestDaemon"]),
        .executable(name: "jaga-membership", targets: ["MembershipDaemon"]),
        .executable(name: "jaga-evaluator", targets: ["EvaluatorDaemon"]),
        .executable(name: "jaga-timer", targets: ["TimerDaemon"]),
        .executable(name: "jaga-notifier", targets: ["NotifierDaemon"]),
        .executable(name: "jaga-report", targets: ["NotifierReport"]),
        .executable(name: "jaga", targets: ["JagaCLI"]),
    ],
    targets: [
        // Level 0: words, and doors to C.
        .target(
            name: "Model", path: "Shared/Model", swiftSettings: settings,
            linkerSettings: [.linkedLibrary("m")]),
        library("CLinux"), library("CZeroMQ"), library("CSQLite"), library("CMicroHTTPD"),
        library("CCurl"), library("CGEOS"), library("CSodium"), library("CQREncode"),
        library("CExpat"), library("CZlib"), library("CMosquitto"), library("CJose"),
        library("CFido2"), library("CPango"),
        .target(
            name: "CSimdjson", path: "Shared/CSimdjson",
            linkerSettings: [.linkedLibrary("simdjson")]),

        // Level 1: pure functions.
        shared("Collections", ["Model"]),
        shared("Geometry", ["Model"]),
        shared("Timing", ["Model"]),
        shared("Hashing", ["Model", "CSodium"]),
        shared("Parsing", ["Model", "CSimdjson"]),
        shared("Directory", ["Model", "Hashing", "Geometry"]),
        shared("DirectoryViews", ["Model", "Parsing", "Directory"]),
        shared("Wire", ["Model", "Hashing", "Parsing"]),
        shared("Dialects", ["Model", "Parsing", "Hashing"]),
        shared("ZoneFiles", ["Model", "Parsing", "CExpat"]),
        shared("SignOn", ["Model", "Parsing", "Hashing", "CJose", "CFido2"]),
        shared("API", ["Model", "Directory", "Dialects"]),

        // Level 2: one process.
        shared("Runtime", ["Model", "Timing", "CLinux", "CZeroMQ"]),

        // Level 3: its disk, its streams, its doors.
        shared("Store", ["Model", "Runtime", "CSQLite"]),
        shared(
            "Web",
            ["Model", "API", "Runtime", "Parsing", "Hashing", "CMicroHTTPD", "CCurl", "CLinux"]),
        shared("Bus", ["Model", "Collections", "Runtime", "Store", "Wire", "Hashing", "CZeroMQ"]),
        .target(
            name: "Gateways", dependencies: ["Model", "Runtime", "Web", "Parsing", "Hashing"],
            path: "Shared/Gateways",
            exclude: ["BuiltIn/template.conf", "BuiltIn/gammu-smsd-http"],
            resources: ["gammu-smsd", "jasmin", "kannel", "twilio", "vonage"].map {
                .embedInCode("BuiltIn/\($0).conf")
            },
            swiftSettings: settings),
        shared("MQTT", ["Model", "Dialects", "Runtime", "CMosquitto"]),
        shared("Shapes", ["Model", "Geometry", "CGEOS"]),
        shared("Codes", ["Model", "CQREncode", "CZlib"]),
        shared("Archives", ["Model", "CZlib"]),
        shared(
            "Hosting",
            [
                "Model", "API", "Timing", "Wire", "Directory", "Hashing", "Runtime", "Store", "Bus",
                "Web",
            ]),

        // Level 4: decisions.
        core("Journeys"), core("Ingest", ["Dialects", "Wire", "Parsing", "JourneysCore"]),
        core("Membership", ["Parsing", "DirectoryViews", "SignOn"]),
        core("Evaluator"), core("Timer"),
        core("Notifier"),

        // Level 5: processes.
        .target(
            name: "JourneysDaemon",
            dependencies: [
                "JourneysCore", "Model", "API", "Directory", "Hashing", "Parsing", "Runtime",
                "Store", "Web", "Hosting", "Archives",
            ],
            path: "Services/Journeys/Daemon", swiftSettings: settings),
        daemon("Ingest", ["Dialects", "MQTT", "JourneysCore", "JourneysDaemon"]),
        daemon(
            "Membership", ["Shapes", "Geometry", "ZoneFiles", "Dialects", "Codes", "SignOn"]),
        daemon("Evaluator"),
        daemon("Timer"), daemon("Notifier", ["Gateways", "Collections", "DirectoryViews"]),
        .executableTarget(
            name: "NotifierReport",
            dependencies: ["NotifierCore", "Model", "Parsing", "Runtime", "CPango"],
            path: "Services/Notifier/Report", swiftSettings: settings),
        .executableTarget(
            name: "JagaCLI",
            dependencies: [
                "Model", "API", "Geometry", "Wire", "Parsing", "Hashing", "Runtime", "Store", "Bus",
                "Web", "Codes", "Dialects", "Shapes", "Archives", "ZoneFiles", "Hosting",
                "Directory", "EvaluatorCore",
            ],
            path: "Services/CLI", exclude: ["README.md"], swiftSettings: settings),

        // Tests.
        .target(
            name: "TestSupport", dependencies: ["Model", "Parsing", "Runtime", "CJose"],
            path: "Tests/TestSupport", swiftSettings: settings),
        .target(
            name: "WireSamples", dependencies: ["Model", "Parsing", "Wire"],
            path: "Tests/WireSamples", swiftSettings: settings),
        tests("Model", []),
        tests("Collections", ["Collections"]),
        tests("Geometry", ["Geometry", "Shapes", "CGEOS", "Parsing"]),
        tests("Timing", ["Timing"]),
        tests("Hashing", ["Hashing"]),
        tests("Parsing", ["Parsing"]),
        tests("Wire", ["Wire", "WireSamples", "Parsing", "Hashing"]),
        tests("Directory", ["Directory", "WireSamples"]),
        tests("API", ["API", "Dialects", "Directory", "NotifierCore", "Parsing"]),
        tests("Runtime", ["Runtime"]),
        tests("Store", ["Store", "Runtime"]),
        tests("Web", ["Web", "Runtime"]),
        tests(
            "Gateways", ["Gateways", "Web", "Runtime", "Parsing", "Hashing"], exclude: ["Golden"]),
        tests("Bus", ["Bus", "Store", "Wire", "Hashing", "Runtime"]),
        tests(
            "Hosting",
            [
                "Hosting", "Bus", "Directory", "Hashing", "Parsing", "Runtime", "Store", "Web",
                "Wire",
            ]),
        tests("MQTT", ["MQTT", "Dialects", "Runtime"]),
        tests("Codes", ["Codes"]),
        tests("Archives", ["Archives"]),
        tests("Dialects", ["Dialects", "Parsing", "Hashing"], exclude: ["Golden"]),
        tests("ZoneFiles", ["ZoneFiles", "Parsing"]),
        tests("SignOn", ["SignOn", "Hashing", "Parsing"], exclude: ["Golden"]),
        tests("JourneysCore", ["JourneysCore", "Directory", "Geometry"]),
        tests(
            "JourneysDaemon",
            [
                "JourneysDaemon", "JourneysCore", "API", "Directory", "Parsing", "Runtime", "Store",
                "Web",
            ]),
        tests(
            "IngestCore",
            [
                "IngestCore", "JourneysCore", "Dialects", "Directory", "Geometry", "Hashing",
                "Timing", "Wire",
            ]),
        tests(
            "IngestDaemon",
            [
                "IngestDaemon", "IngestCore", "JourneysCore", "Bus", "Dialects", "Directory",
                "Hashing", "Hosting", "MQTT", "Parsing", "Runtime", "Store", "Web", "Wire",
                "WireSamples",
            ]),
        tests(
            "MembershipCore",
            ["MembershipCore", "Directory", "Hashing", "Parsing", "SignOn", "ZoneFiles"]),
        tests(
            "MembershipDaemon",
            [
                "MembershipDaemon", "MembershipCore", "Directory", "DirectoryViews", "Hashing",
                "Hosting", "Parsing", "Runtime", "Store", "Web", "Wire", "ZoneFiles",
            ]),
        tests("EvaluatorCore", ["EvaluatorCore", "Geometry", "WireSamples"]),
        tests(
            "EvaluatorDaemon",
            ["EvaluatorDaemon", "Bus", "Geometry", "Hashing", "Runtime", "Wire"]),
        tests("TimerCore", ["TimerCore", "Directory"]),
        tests(
            "TimerDaemon",
            [
                "TimerDaemon", "TimerCore", "Directory", "Hashing", "Hosting", "Parsing", "Runtime",
                "Store", "Web", "Wire", "WireSamples",
            ]),
        tests("NotifierCore", ["NotifierCore", "Directory", "Geometry", "Hashing", "Timing"]),
        tests(
            "NotifierDaemon",
            [
                "NotifierDaemon", "NotifierCore", "Directory", "DirectoryViews", "Gateways",
                "Hashing", "Hosting", "Parsing", "Runtime", "Store", "Web", "Wire", "WireSamples",
            ]),
        tests(
            "CLI",
            [
                "JagaCLI", "EvaluatorCore", "Archives", "Bus", "Dialects", "Hosting", "Parsing",
                "Hashing",
                "Shapes", "Web", "Runtime", "Store", "Wire", "ZoneFiles",
            ]),
        tests(
            "Simulation",
            [
                "IngestDaemon", "IngestCore", "MembershipDaemon", "EvaluatorDaemon",
                "EvaluatorCore", "TimerDaemon", "NotifierDaemon", "NotifierCore", "Bus",
                "Collections", "Dialects", "Directory", "Hashing", "Hosting", "Parsing", "Runtime",
                "Store", "Web", "Wire",
            ]),
        tests(
            "EndToEnd",
            [
                "API", "CZeroMQ", "Dialects", "Hashing", "MQTT", "Parsing", "Runtime", "Store",
                "Bus",
                "Wire",
            ]),
        tests("Tidy", []),
        .executableTarget(
            name: "BusBench",
            dependencies: ["Model", "Wire", "Runtime", "Store", "Bus", "CZeroMQ"],
            path: "Tests/Benchmarks/BusBench", swiftSettings: settings),
        .executableTarget(
            name: "IngestBench",
            dependencies: [
                "Model", "Hashing", "Wire", "Runtime", "Store", "Bus", "CMicroHTTPD",
            ],
            path: "Tests/Benchmarks/IngestBench", exclude: ["load.lua"], swiftSettings: settings),
        .executableTarget(
            name: "MembershipBench",
            dependencies: ["Model", "Directory", "Hashing", "Parsing", "Runtime", "Store"],
            path: "Tests/Benchmarks/MembershipBench", swiftSettings: settings),
        .target(name: "CAllocations", path: "Tests/Benchmarks/CAllocations"),
        .executableTarget(
            name: "EvaluatorBench",
            dependencies: [
                "Model", "Geometry", "EvaluatorCore", "TestSupport", "CAllocations", "Hashing",
                "Wire", "Store", "Bus",
            ],
            path: "Tests/Benchmarks/EvaluatorBench", swiftSettings: settings),
    ],
    cxxLanguageStandard: .cxx17
)
