// All words of the page, in English and Russian. `{0}` is the first argument.

const en = {
  title: "Amazons", tagline: "The Game of the Amazons against Hippolyta",
  play: "PLAY", continue: "CONTINUE", newGame: "New game", menu: "Menu", rules: "Rules", results: "Results",
  settings: "Settings", close: "Close", cancel: "Cancel", resign: "Resign", takeBack: "Take back", hint: "Hint",
  flip: "Flip the board", stop: "Move now", pause: "Pause", resume: "Continue", analyse: "Analyse", review: "Review",
  share: "Share and load", source: "Source code",
  board: "Board", level: "Level", colour: "You play",
  size6: "6×6 Fast", size8: "8×8 Medium", size10: "10×10 Classic",
  easy: "Easy", medium: "Medium", hard: "Hard", insane: "Insane",
  easyText: "Looks at each of its moves alone, and plays one move in three at random.",
  mediumText: "As Easy, but it seldom plays at random.",
  hardText: "Also weighs your answer to its most promising moves.",
  insaneText: "A trained neural network that searches. Never random.",
  insaneLoads: "A trained neural network that searches. The first game fetches about 1.4 MB.",
  white: "White", black: "Black",
  first: "White, moving first", second: "Black, moving second", both: "Two people at this device",
  yourTurn: "Your turn: touch an amazon.", turnOf: "{0} to move: touch an amazon.",
  chooseTarget: "Amazon on {0}: touch one of {1} squares.", shoot: "SHOOT", shootFrom: "SHOOT: touch one of {0} squares for the arrow of {1}.",
  backHint: "Touch {0} or press Esc to take it back.",
  thinking: "Hippolyta is thinking…", loading: "Fetching the network: {0}", loadingLevel: "Getting ready…",
  played: "{0} played {1}.", paused: "Paused.",
  reach: "Squares in reach: White {0}, Black {1}",
  decided: "Decided: {0} by {1}. Play on, or end the game here.", endHere: "End here",
  won: "You win!", lost: "Hippolyta wins.", wonBy: "{0} wins.", after: "After {0} moves: {1}.",
  noMove: "{0} cannot move", resignation: "{0} resigned",
  wins: "Wins", losses: "Losses", percent: "Won", streak: "Streak", best: "Best streak", none: "No game is finished yet.",
  noModel: "Insane needs the network of this board, and there is none at {0}. Choose another level, or a model of your own in Settings.",
  badModel: "The network cannot be used: {0}",
  moves: "Moves", movePlaceholder: "Type a move: a2-a4/b4", moveLabel: "Type a square or a whole move", badMove: "'{0}' is not a square or a legal move here: {1}",
  targetsOf: "Squares: {0}", nothingChosen: "Amazons that can move: {0}", lastMove: "Last move: {0}", noLast: "No move has been played.",
  square: "{0}", whiteAmazon: "White amazon", blackAmazon: "Black amazon", arrow: "arrow", empty: "empty",
  canMove: "can move", target: "target", shot: "arrow may land here", chosen: "chosen",
  sound: "Sound", plain: "Board of one colour", language: "Language", strength: "Insane thinks", byTime: "for so many milliseconds", byVisits: "for so many visits",
  ownModel: "A model of your own", exportData: "Save results to a file", importData: "Load results from a file", imported: "The results are loaded.", badImport: "The file cannot be read: {0}",
  storeTrouble: "This browser keeps nothing for this page: the game and the results go when it is closed.",
  kept: "Some browsers clear what a page keeps after a week without a visit. Save results to a file to be sure.",
  fen: "Position (FEN)", sgf: "Game (SGF)", paste: "Paste a position or a game, in any notation", loadIt: "Load", copy: "Copy", copied: "Copied.", link: "Link to this position", saveSgf: "Save as SGF",
  badText: "This cannot be read: {0}", loaded: "Loaded: {0} moves.",
  analysisTitle: "Analysis", valueFor: "Value for White", valueText: "White wins about {0} % of such games.", proven: "{0} has a proven win.",
  owners: "Who will own each square", ownersLegend: "■ White   ◆ Black   larger is surer", bestMoves: "Best moves", visitsText: "{0} visits",
  analysisClassical: "There is no network for this board: the classical program analyses, without owners.",
  territory: "Sure moves of its own: White {0}, Black {1}; contested squares {2}", stopAnalysis: "End the analysis",
  reviewTitle: "Review", reviewing: "Looking at position {0} of {1}…", blunders: "The biggest mistakes", blunder: "{0}. {1} {2}: {3}", drop: "its chance to win fell from {0} % to {1} %",
  noBlunders: "No move lost a tenth or more.", findBetter: "Find a better move", tryIt: "Find a better move for {0} than {1}.", better: "Yes! {0} is better: {1} % instead of {2} %.", notBetter: "{0} gives {1} %. Try again.", showBest: "Show the best",
  bestWas: "The best was {0}.", backToGame: "Back to the game", valueGraph: "White's chance to win after each move",
  update: "A newer page is ready.", reload: "Reload",
  resigned: "You resigned.", over: "The game is over.", startGame: "Start a game",
  goFirst: "First position", goBack: "Back", goOn: "On", goLast: "Last position", view: "Looking at move {0} of {1}.",
  hintIs: "Hint: {0}.", keys: "Keys on the board: arrows move, Enter touches, Esc takes back, F flips, L says the last move, M lists squares.",
  rule1: "Each side has four amazons. White moves first.", rule2: "First an amazon moves like a chess queen: any number of free squares in a straight or diagonal line.",
  rule3: "Then it shoots an arrow from where it landed, also like a queen. The square it left is free again. The arrow closes its square for good.",
  rule4: "Who cannot move on their turn loses. There are no draws: every move closes a square, so a game on 10×10 lasts at most 92 moves (48 on 8×8, 28 on 6×6).",
  setup: "Set-up, White / Black", tips: "Three tips", tip1: "Keep your amazons free: an amazon in a corner is half lost.",
  tip2: "Close off a large region for yourself, and leave the other side small ones.", tip3: "At the end, count: who has more moves left in their own regions wins.",
  champion: "Champion of the run", shipped: "Shipped network", clearGame: "Analyse a position",
};

/** @type {typeof en} */
const ru = {
  title: "Амазонки", tagline: "Игра амазонок против Ипполиты",
  play: "ИГРАТЬ", continue: "ПРОДОЛЖИТЬ", newGame: "Новая игра", menu: "Меню", rules: "Правила", results: "Результаты",
  settings: "Настройки", close: "Закрыть", cancel: "Отмена", resign: "Сдаться", takeBack: "Взять назад", hint: "Подсказка",
  flip: "Перевернуть доску", stop: "Ходи сейчас", pause: "Пауза", resume: "Продолжить", analyse: "Анализ", review: "Разбор",
  share: "Поделиться и загрузить", source: "Исходный код",
  board: "Доска", level: "Уровень", colour: "Вы играете",
  size6: "6×6 быстрая", size8: "8×8 средняя", size10: "10×10 классическая",
  easy: "Лёгкий", medium: "Средний", hard: "Трудный", insane: "Безумный",
  easyText: "Оценивает каждый свой ход отдельно и каждый третий ход делает наугад.",
  mediumText: "Как лёгкий, но редко ходит наугад.",
  hardText: "Учитывает и ваш ответ на свои лучшие ходы.",
  insaneText: "Обученная нейронная сеть с перебором. Никогда не ходит наугад.",
  insaneLoads: "Обученная нейронная сеть с перебором. Первая игра загружает около 1,4 МБ.",
  white: "Белые", black: "Чёрные",
  first: "Белыми, первый ход", second: "Чёрными, второй ход", both: "Двое за одним устройством",
  yourTurn: "Ваш ход: коснитесь амазонки.", turnOf: "Ходят {0}: коснитесь амазонки.",
  chooseTarget: "Амазонка на {0}: коснитесь одного из полей ({1}).", shoot: "ВЫСТРЕЛ", shootFrom: "ВЫСТРЕЛ: коснитесь одного из полей ({0}) для стрелы с {1}.",
  backHint: "Коснитесь {0} или нажмите Esc, чтобы взять ход назад.",
  thinking: "Ипполита думает…", loading: "Загружается сеть: {0}", loadingLevel: "Подготовка…",
  played: "{0} сходили {1}.", paused: "Пауза.",
  reach: "Доступные поля: белые {0}, чёрные {1}",
  decided: "Исход решён: {0}, перевес {1}. Играйте дальше или закончите игру здесь.", endHere: "Закончить",
  won: "Вы выиграли!", lost: "Ипполита выиграла.", wonBy: "Выиграли: {0}.", after: "Ходов: {0}. {1}.",
  noMove: "Нет ходов: {0}", resignation: "Сдались: {0}",
  wins: "Победы", losses: "Поражения", percent: "Выиграно", streak: "Серия", best: "Лучшая серия", none: "Ещё нет законченных игр.",
  noModel: "Безумному уровню нужна сеть для этой доски, а по адресу {0} её нет. Выберите другой уровень или свою модель в настройках.",
  badModel: "Сеть нельзя использовать: {0}",
  moves: "Ходы", movePlaceholder: "Введите ход: a2-a4/b4", moveLabel: "Введите поле или весь ход", badMove: "«{0}» — не поле и не возможный здесь ход: {1}",
  targetsOf: "Поля: {0}", nothingChosen: "Могут ходить: {0}", lastMove: "Последний ход: {0}", noLast: "Ходов ещё не было.",
  square: "{0}", whiteAmazon: "белая амазонка", blackAmazon: "чёрная амазонка", arrow: "стрела", empty: "пусто",
  canMove: "может ходить", target: "цель", shot: "сюда может попасть стрела", chosen: "выбрана",
  sound: "Звук", plain: "Одноцветная доска", language: "Язык", strength: "Безумный думает", byTime: "столько миллисекунд", byVisits: "столько посещений",
  ownModel: "Своя модель", exportData: "Сохранить результаты в файл", importData: "Загрузить результаты из файла", imported: "Результаты загружены.", badImport: "Файл не читается: {0}",
  storeTrouble: "Браузер ничего не хранит для этой страницы: игра и результаты исчезнут, когда она закроется.",
  kept: "Некоторые браузеры стирают данные страницы после недели без посещений. Сохраните результаты в файл.",
  fen: "Позиция (FEN)", sgf: "Игра (SGF)", paste: "Вставьте позицию или игру в любой записи", loadIt: "Загрузить", copy: "Копировать", copied: "Скопировано.", link: "Ссылка на эту позицию", saveSgf: "Сохранить как SGF",
  badText: "Это не читается: {0}", loaded: "Загружено ходов: {0}.",
  analysisTitle: "Анализ", valueFor: "Оценка за белых", valueText: "Белые выигрывают около {0} % таких игр.", proven: "Доказанный выигрыш: {0}.",
  owners: "Кому достанется каждое поле", ownersLegend: "■ белые   ◆ чёрные   больше — вернее", bestMoves: "Лучшие ходы", visitsText: "Посещений: {0}",
  analysisClassical: "Для этой доски нет сети: анализирует классическая программа, без карты владения.",
  territory: "Верные собственные ходы: белые {0}, чёрные {1}; спорных полей {2}", stopAnalysis: "Закончить анализ",
  reviewTitle: "Разбор", reviewing: "Позиция {0} из {1}…", blunders: "Самые большие ошибки", blunder: "{0}. {1} {2}: {3}", drop: "шансы упали с {0} % до {1} %",
  noBlunders: "Ни один ход не потерял десятой части.", findBetter: "Найти ход лучше", tryIt: "{0}: найдите ход лучше, чем {1}.", better: "Да! {0} лучше: {1} % вместо {2} %.", notBetter: "{0} даёт {1} %. Попробуйте ещё.", showBest: "Показать лучший",
  bestWas: "Лучший ход: {0}.", backToGame: "Назад к игре", valueGraph: "Шансы белых после каждого хода",
  update: "Готова новая версия страницы.", reload: "Обновить",
  resigned: "Вы сдались.", over: "Игра окончена.", startGame: "Начать игру",
  goFirst: "Первая позиция", goBack: "Назад", goOn: "Вперёд", goLast: "Последняя позиция", view: "Ход {0} из {1}.",
  hintIs: "Подсказка: {0}.", keys: "Клавиши на доске: стрелки — идти, Enter — коснуться, Esc — взять назад, F — перевернуть, L — последний ход, M — список полей.",
  rule1: "У каждой стороны четыре амазонки. Белые ходят первыми.", rule2: "Сначала амазонка ходит как ферзь: на любое число свободных полей по прямой или диагонали.",
  rule3: "Затем она стреляет с нового места, тоже как ферзь. Поле, с которого она ушла, снова свободно. Стрела закрывает своё поле навсегда.",
  rule4: "Кто не может ходить в свой ход, проигрывает. Ничьих нет: каждый ход закрывает поле, и игра на 10×10 длится не больше 92 ходов (48 на 8×8, 28 на 6×6).",
  setup: "Расстановка, белые / чёрные", tips: "Три совета", tip1: "Берегите свободу амазонок: амазонка в углу наполовину потеряна.",
  tip2: "Отгородите себе большую область, а сопернику оставьте маленькие.", tip3: "В конце считайте: выигрывает тот, у кого больше ходов в своих областях.",
  champion: "Чемпион обучения", shipped: "Готовая сеть", clearGame: "Анализ позиции",
};

const languages = { en, ru };
/** @type {keyof typeof languages} */
let language = "en";

/** @typedef {keyof typeof en} TextKey */

/** Chooses the language; what is not known is English. @param {string | undefined} wanted */
export function speak(wanted) {
  const code = (wanted ?? globalThis.navigator?.language ?? "en").slice(0, 2);
  language = code === "ru" ? "ru" : "en";
  return language;
}

/** A text. @param {TextKey} key @param {...(string | number)} values @returns {string} */
export function t(key, ...values) {
  return languages[language][key].replace(/\{(\d)\}/g, (_, place) => String(values[Number(place)]));
}

/** Both languages hold each other's keys, which the tests check. */
export const allTexts = languages;
