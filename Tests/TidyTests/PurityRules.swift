extension Rule {
    /// Names that bring time, randomness, threads or the environment into a core.
    static let impureWords = [
        "async", "await", "Task", "ContinuousClock", "SuspendingClock", "Date", "Thread",
        ".random(", ".randomElement(", ".shuffled(", "SystemRandomNumberGenerator", "Hasher",
        ".hashValue", "getenv", "CommandLine", "ProcessInfo", "UnsafePointer",
        "UnsafeMutablePointer",
    ]

    /// Functions of libm: their results differ between processors.
    static let libmFunctions = [
        "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "exp2",
        "expm1", "log", "log2", "log10", "log1p", "pow", "cbrt", "hypot", "fmod", "remainder",
        "asinh", "acosh", "atanh", "sincos", "exp10", "pow10", "fma", "remquo", "drem", "logb",
        "ldexp", "scalbn", "scalbln", "scalb", "frexp", "modf", "tgamma", "lgamma", "gamma", "erf",
        "erfc", "j0", "j1", "jn", "y0", "y1", "yn",
    ].map { $0 + "(" }

    /// The only file of the cores that may use pointers. It documents what keeps them valid, and no
    /// decision depends on an address.
    static let addressFile = "Services/Evaluator/Core/State/Slab.swift"

    static let coreImports: Set<String> = [
        "Model", "Collections", "Geometry", "Timing", "Directory", "DirectoryViews", "Hashing",
        "Parsing", "Wire", "Dialects", "JourneysCore", "SignOn",
    ]

    static let pureCores = Rule.each("cores are pure functions of their inputs") { file in
        guard file.isSwift, file.folders.count >= 3, file.folders[0] == "Services",
            file.folders[2] == "Core"
        else { return [] }
        return impurities(of: file, imports: coreImports)
            + (file.folders[1] == "Evaluator" ? calls(libmFunctions, in: file) : [])
    }

    /// Evaluators compute with +, −, ×, ÷ and square roots only, so that results are equal on every
    /// machine. Preparing geometry may use libm: it runs once, at membership.
    static let pureGeometry = Rule.each("geometry is evaluated without libm") { file in
        guard file.isSwift, file.path.hasPrefix("Shared/Geometry/") else { return [] }
        let prepares =
            file.folders.contains("Preparing")
            || file.path.split(separator: "/").last?.hasPrefix("Prepar") == true
        return impurities(of: file, imports: prepares ? ["Model", "Glibc"] : ["Model"])
            + (prepares ? [] : calls(libmFunctions, in: file))
    }

    private static func impurities(of file: SourceFile, imports: Set<String>) -> [Finding] {
        let foreign = Import.all(in: file).filter { !imports.contains($0.module) }.map {
            Finding(path: file.path, line: $0.line, text: "imports \($0.module)")
        }
        let isAddressFile = file.path == addressFile
        return foreign
            + calls(impureWords.filter { !isAddressFile || !$0.hasPrefix("Unsafe") }, in: file)
    }

    private static func calls(_ words: [String], in file: SourceFile) -> [Finding] {
        let words = file.among(words)
        return words.isEmpty
            ? []
            : file.code.enumerated().flatMap { index, line in
                words.filter { !columns(of: $0, in: line).isEmpty }.map {
                    Finding(path: file.path, line: index + 1, text: $0)
                }
            }
    }
}
