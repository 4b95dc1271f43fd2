import Model
import NotifierCore

/// Texts of the pages of live links in one language.
struct LivePhrases: Sendable {
    let title: String
    let show: String
    let showAdvice: String
    let `where`: @Sendable (_ name: String) -> String
    let underDuress: String
    let place: String
    let noPosition: String
    let map: String
    let battery: String
    let trail: String
    let until: String
    let refresh: String
    let madeFor: @Sendable (_ recipient: String) -> String
}

extension Language {
    var live: LivePhrases {
        switch self {
        case .english: .english
        case .malay: .malay
        case .indonesian: .indonesian
        }
    }
}

extension LivePhrases {
    /// Of a page whose link is not valid, in every language: nothing is known of the reader.
    static let invalidLink = [
        ("en", "This link is not valid", "It may have ended. Ask who sent it to you."),
        ("ms", "Pautan ini tidak sah", "Ia mungkin sudah tamat. Tanya orang yang menghantarnya."),
        (
            "id", "Tautan ini tidak berlaku",
            "Mungkin sudah berakhir. Tanyakan kepada pengirimnya."
        ),
    ]

    static let english = LivePhrases(
        title: "A position is shared with you", show: "Show",
        showAdvice: "Who and where is shown after you press the button. Each look is recorded.",
        where: { "Where \($0) is" }, underDuress: "Do not call or text them.", place: "Place",
        noPosition: "No position known yet", map: "Open a map", battery: "Battery",
        trail: "Before", until: "Shown until", refresh: "Refresh",
        madeFor: { "Made for \($0). Please do not pass it on. Each look is recorded." })

    static let malay = LivePhrases(
        title: "Satu kedudukan dikongsi dengan anda", show: "Tunjukkan",
        showAdvice:
            "Siapa dan di mana ditunjukkan selepas anda menekan butang. Setiap lihatan direkodkan.",
        where: { "Di mana \($0) berada" }, underDuress: "Jangan telefon atau SMS dia.",
        place: "Tempat", noPosition: "Kedudukan belum diketahui", map: "Buka peta",
        battery: "Bateri", trail: "Sebelum ini", until: "Ditunjukkan hingga",
        refresh: "Muat semula",
        madeFor: { "Dibuat untuk \($0). Jangan kongsikan lagi. Setiap lihatan direkodkan." })

    static let indonesian = LivePhrases(
        title: "Sebuah posisi dibagikan kepada Anda", show: "Tampilkan",
        showAdvice:
            "Siapa dan di mana ditampilkan setelah Anda menekan tombol. Setiap tampilan dicatat.",
        where: { "Di mana \($0) berada" }, underDuress: "Jangan telepon atau SMS dia.",
        place: "Tempat", noPosition: "Posisi belum diketahui", map: "Buka peta",
        battery: "Baterai", trail: "Sebelumnya", until: "Ditampilkan sampai",
        refresh: "Muat ulang",
        madeFor: { "Dibuat untuk \($0). Jangan diteruskan. Setiap tampilan dicatat." })
}
