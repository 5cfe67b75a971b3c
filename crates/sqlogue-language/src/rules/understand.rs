//! The entry: a question and a database's knowledge in, ranked readings out.

mod bare;

use std::borrow::Cow;

use jiff::civil::Date;

use super::account::{Account, Doubt};
use super::compose::{Draft, Meaning};
use super::knowledge::{ColumnId, Knowledge, TableId};
use super::link::{Chunk, GIVEN, Linked, Target, ValueLink};
use super::propose::{Proposal, propose};
use super::rank::{KEPT, Rated, Standing, TRIED, Weights, certainty_features, clauses, words};
use super::values::MatchKind;
use crate::Trial;
use sqlogue_sql::plan::{Confidence, QueryPlan};
use sqlogue_sql::schema::Value;
use sqlogue_sql::sql::Definition;

/// What bears on a question besides its words.
#[derive(Debug, Clone)]
pub struct Options {
    /// The day that *today* and *last month* are counted from.
    pub today: Date,
    /// Tables that every reading must use, by name: the answer to an ambiguity.
    pub mandatory_tables: Vec<String>,
    /// Tables that no reading may use, by name.
    pub forbidden_tables: Vec<String>,
    /// Pairs of columns, each `(table, column)`, that every reading which joins their tables must join on.
    pub fixed_joins: Vec<FixedJoin>,
    /// Words that somebody said mean a table, a column or a value, as lessons tell.
    pub hints: Vec<Hint>,
    /// Words that people have defined.
    pub definitions: Vec<Defined>,
    /// How many readings are kept.
    pub readings: usize,
}

/// Words with the expression that somebody defined them as.
#[derive(Debug, Clone, PartialEq)]
pub struct Defined {
    /// The words, as people say them.
    pub name: String,
    /// What they mean.
    pub meaning: Definition,
}

/// A join that was decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedJoin {
    /// Table and column of one side.
    pub left: (String, String),
    /// Table and column of the other side.
    pub right: (String, String),
}

/// Words with what they mean in this database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The words, as people say them.
    pub words: String,
    /// The table they speak of.
    pub table: String,
    /// The column they speak of; none for the table as a whole.
    pub column: Option<String>,
    /// The value in that column that they mean; none for the column itself.
    pub value: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            today: jiff::Zoned::now().date(),
            mandatory_tables: Vec::new(),
            forbidden_tables: Vec::new(),
            fixed_joins: Vec::new(),
            hints: Vec::new(),
            definitions: Vec::new(),
            readings: 8,
        }
    }
}

/// What the reasoner made of a question.
#[derive(Debug, Clone, Default)]
pub struct RankedReadings {
    /// The readings, best first; none where nothing could be made of the question.
    pub candidates: Vec<Candidate>,
    /// The words that the best reading does not account for, or all that name nothing where there is no reading.
    pub unexplained: Vec<String>,
    /// The words that name something, with what they may name: for saying what was recognised.
    pub recognised: Vec<Recognised>,
    /// The least probability at which an answer is given.
    pub threshold: f32,
    /// What the probability of the best reading rests on.
    grounds: Grounds,
}

/// The candidates that come into question, best first, with their order.
#[derive(Debug, Clone, Default)]
struct Grounds {
    standings: Vec<Standing>,
    rated: Vec<Rated>,
}

impl Grounds {
    /// Puts candidates in order; also says which of them each was.
    fn new(standings: &[Standing], weights: &Weights) -> (Self, Vec<usize>) {
        let order = weights.order.of(standings);
        let (places, rated): (Vec<usize>, Vec<Rated>) = order.into_iter().unzip();
        let standings = places.iter().filter_map(|at| standings.get(*at).cloned()).collect();
        (Self { standings, rated }, places)
    }

    /// Puts a candidate before all others.
    fn prefer(&mut self, at: usize) {
        let best = self.rated.first().map_or(0.0, |rated| rated.score);
        if let (Some(standings), Some(rated)) = (self.standings.get_mut(..=at), self.rated.get_mut(..=at)) {
            standings.rotate_right(1);
            rated.rotate_right(1);
            rated.iter_mut().take(1).for_each(|first| first.score = best);
        }
    }

    /// How likely the first candidate is right.
    fn judge(&self, weights: &Weights) -> f32 {
        let Some(first) = self.standings.first() else { return 0.0 };
        let features = certainty_features(&first.features, &first.circumstances, &self.rated);
        weights.certainty(&self.rated).probability(&features)
    }

    /// How likely each candidate is right: the others share what the first leaves, as their scores compare.
    fn probabilities(&self, first: f32) -> impl Iterator<Item = f32> {
        let best = self.rated.first().map_or(0.0, |rated| rated.score);
        self.rated.iter().map(move |rated| first * (rated.score - best).exp())
    }
}

/// One reading of a question.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The plan.
    pub plan: QueryPlan,
    /// How it compares with the other readings.
    pub score: f32,
    /// How likely it is right, by what was measured on other databases.
    pub probability: f32,
    /// The same in three steps; low where the plan leaves out some of what was asked.
    pub confidence: Confidence,
    /// What the plan leaves out of the question.
    pub account: Account,
    /// Why this reading.
    pub evidence: Evidence,
    /// Where the grammar made it: how far it is below the grammar's best.
    pub grammar: Option<f32>,
}

/// Why a reading was made.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    /// Which words meant what.
    pub meanings: Vec<WordMeaning>,
    /// The words that were ignored.
    pub ignored: Vec<String>,
    /// The joins, with the reason for each.
    pub joins: Vec<JoinReason>,
    /// Readings taken that were not the usual ones.
    pub unusual: Vec<String>,
    /// What was only said before the question, as it was written; empty where nothing was.
    pub background: String,
}

/// Words with what they were taken for.
#[derive(Debug, Clone, PartialEq)]
pub struct WordMeaning {
    /// The words as asked.
    pub words: String,
    /// What they were taken for.
    pub meaning: Meaning,
    /// True where only a synonym of the language says so.
    pub is_synonym: bool,
}

/// A join with the reason for it.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinReason {
    /// `(table, column)` of the referring side.
    pub from: (String, String),
    /// `(table, column)` referred to.
    pub to: (String, String),
    /// True for a declared key, false for one inferred from names.
    pub declared: bool,
}

/// Words that name something.
#[derive(Debug, Clone, PartialEq)]
pub struct Recognised {
    /// The words as asked.
    pub words: String,
    /// What they may name, best first, as `table` or `table.column`.
    pub names: Vec<String>,
}

impl RankedReadings {
    /// The reading to answer with; none where none is likely enough.
    pub fn answer(&self) -> Option<&Candidate> {
        self.candidates.first().filter(|candidate| candidate.probability >= self.threshold)
    }

    /// The readings whose rows would tell how sure the best one is, best first; none where that is beyond doubt or there is
    /// no answer.
    pub fn worth_trying(&self) -> Vec<QueryPlan> {
        match self.answer() {
            Some(best) if best.probability < 1.0 => {
                self.candidates.iter().take(TRIED).map(|candidate| candidate.plan.clone()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The same, as sure as it is once the readings of [`RankedReadings::worth_trying`] were run, whose trials are given in the
    /// same order.
    pub fn after(&self, trials: &[Trial]) -> Cow<'_, Self> {
        let is_sure = self.candidates.first().is_none_or(|best| best.probability >= 1.0);
        if is_sure || trials.first().is_none_or(|trial| !trial.is_tried()) {
            return Cow::Borrowed(self);
        }
        let weights = Weights::embedded();
        let mut after = self.clone();
        for (rated, trial) in after.grounds.rated.iter_mut().zip(trials) {
            rated.trial = *trial;
        }
        let probabilities: Vec<f32> = after.grounds.probabilities(after.grounds.judge(weights)).collect();
        for (candidate, probability) in after.candidates.iter_mut().zip(probabilities) {
            candidate.probability = probability;
            candidate.confidence = candidate.account.bound(weights.tried.confidence(probability));
        }
        Cow::Owned(after)
    }

    /// The doubt about the best reading that comes of how likely it is, and nothing else.
    pub fn hesitation(&self) -> Option<Doubt> {
        let next = self.candidates.get(1).map(|next| (&next.plan, next.probability));
        self.candidates.first().map(|best| Doubt::of_likelihood((&best.plan, best.probability), next))
    }

    /// True where the best reading is probably right by all that is known of such questions, whatever it leaves out.
    pub fn is_convincing(&self) -> bool {
        let certainty = Weights::embedded().certainty(&self.grounds.rated);
        self.answer().is_some_and(|best| certainty.confidence(best.probability) == Confidence::High)
    }
}

/// Reads a question.
pub fn understand(question: &str, knowledge: &Knowledge, options: &Options) -> RankedReadings {
    let weights = Weights::embedded();
    let mandatory: Vec<TableId> =
        options.mandatory_tables.iter().filter_map(|name| knowledge.table_named(name)).collect();
    let hints = told(knowledge, options);
    let allowed = |draft: &Draft| allowed(draft, knowledge, options);
    let mut proposals = propose(question, knowledge, options, &hints, &mandatory, allowed);
    let mut scored: Vec<(f32, Proposal)> = std::mem::take(&mut proposals.all)
        .into_iter()
        .map(|proposal| (weights.score(&proposal.features), proposal))
        .collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0));
    scored.truncate(KEPT);
    let heard = weights.wording.of(&words(&proposals.linked.question));
    let standing = |(linear, one): &(f32, Proposal)| {
        let said = heard.score(&clauses(&one.draft.plan, knowledge));
        proposals.standing(one, linear + said, knowledge)
    };
    let standings: Vec<Standing> = scored.iter().map(standing).collect();
    let (mut grounds, places) = Grounds::new(&standings, weights);
    let mut places: Vec<&Proposal> =
        places.iter().filter_map(|at| scored.get(*at).map(|(_, proposal)| proposal)).collect();
    let linked = &proposals.linked;
    // *Show me companies*: where nothing else is said, the table is meant as it is.
    let lists =
        |one: &&Proposal| bare::lists_what_is_named(&one.draft, linked, knowledge) && one.account.is_clear();
    if let Some(at) = places.iter().position(lists) {
        grounds.prefer(at);
        places.get_mut(..=at).unwrap_or_default().rotate_right(1);
    }
    // *orders in March* lists them: nobody says that they are to be counted, so the number is only shown as another reading.
    if let Some(at) =
        places.first().and_then(|first| bare::listed_instead(&first.draft, &places, |one| &one.draft))
    {
        grounds.prefer(at);
        places.get_mut(..=at).unwrap_or_default().rotate_right(1);
    }
    let first_probability = grounds.judge(weights);
    if places.first().is_some_and(|first| beside_the_point(&first.draft, linked)) {
        places.clear();
    }
    let mut candidates = Vec::new();
    let rated = grounds.rated.iter().zip(grounds.probabilities(first_probability));
    for (proposal, (Rated { score, .. }, probability)) in
        places.into_iter().zip(rated).take(options.readings.max(1))
    {
        let Proposal { draft, account, .. } = proposal.clone();
        let evidence = evidence(&draft, linked, knowledge);
        let is_list = candidates.is_empty() && bare::lists_what_is_named(&draft, linked, knowledge);
        let probability = if is_list { 1.0 } else { probability };
        candidates.push(Candidate {
            evidence,
            grammar: draft.grammar,
            score: *score,
            probability,
            confidence: account.bound(weights.untried.confidence(probability)),
            account,
            plan: draft.plan,
        });
    }
    let unexplained = match candidates.first() {
        Some(candidate) => candidate.evidence.ignored.clone(),
        None => linked
            .cuts
            .first()
            .map(|(chunks, _)| {
                let unknown = chunks
                    .iter()
                    .filter(|chunk| !chunk.is_schema() && chunk.values.is_empty() && chunk.cue.is_none());
                unknown.map(|chunk| linked.question.span_text(chunk.start, chunk.end).to_owned()).collect()
            })
            .unwrap_or_default(),
    };
    RankedReadings {
        candidates,
        unexplained,
        recognised: recognised(linked, knowledge),
        threshold: weights.answered,
        grounds,
    }
}

/// True where a reading rests on words of questions alone (*where*, *when*) and what is asked about is unknown: *Where
/// is the moon?*
fn beside_the_point(draft: &Draft, linked: &Linked) -> bool {
    let Some((chunks, _)) = linked.cuts.get(draft.cut) else { return false };
    let asks = |chunk: &Chunk| {
        ["who", "where", "when", "what", "which", "why", "how", "how many", "how much"]
            .contains(&chunk.text.as_str())
    };
    let unknown = |chunk: &Chunk| {
        !chunk.is_schema()
            && chunk.values.is_empty()
            && chunk.number.is_none()
            && chunk.date.is_none()
            && chunk.cue.is_none()
    };
    let rests_on_questions = draft.meanings.iter().all(|meaning| chunks.get(meaning.chunk).is_some_and(asks));
    let ignored = super::rank::features::ignored(chunks, draft);
    rests_on_questions && ignored.into_iter().filter_map(|at| chunks.get(at)).any(unknown)
}

/// The hints that name something in this database.
fn told(knowledge: &Knowledge, options: &Options) -> Vec<(String, Target)> {
    let meaning = |hint: &Hint| {
        let table = knowledge.table_named(&hint.table)?;
        let column = hint.column.as_ref().map(|column| knowledge.column_named(table, column));
        let target = match (column, &hint.value) {
            (Some(column), Some(value)) => Target::Value(ValueLink {
                column: Some(column?),
                value: Value::Text(value.clone()),
                kind: MatchKind::Exact,
                score: GIVEN,
                quoted: false,
            }),
            (Some(column), None) => Target::Column(column?),
            (None, _) => Target::Table(table),
        };
        Some((hint.words.clone(), target))
    };
    options.hints.iter().filter_map(meaning).collect()
}

/// True where a draft keeps to what was decided before.
fn allowed(draft: &Draft, knowledge: &Knowledge, options: &Options) -> bool {
    let used = draft.plan.tables();
    let uses = |name: &String| used.iter().any(|used| used.table.eq_ignore_ascii_case(name));
    if !options.mandatory_tables.iter().all(uses) || options.forbidden_tables.iter().any(uses) {
        return false;
    }
    options.fixed_joins.iter().all(|join| {
        let joined = draft.joins.edges.iter().any(|edge| {
            let tables = [name_of(knowledge, edge.from), name_of(knowledge, edge.to)];
            tables.iter().all(|table| {
                table.eq_ignore_ascii_case(&join.left.0) || table.eq_ignore_ascii_case(&join.right.0)
            })
        });
        !joined
            || draft.joins.edges.iter().any(|edge| {
                edge.columns.iter().any(|(from, to)| {
                    let (from, to) = (place(knowledge, *from), place(knowledge, *to));
                    (same(&from, &join.left) && same(&to, &join.right))
                        || (same(&to, &join.left) && same(&from, &join.right))
                })
            })
    })
}

fn name_of(knowledge: &Knowledge, table: TableId) -> String {
    knowledge.table(table).name.clone()
}

fn place(knowledge: &Knowledge, column: ColumnId) -> (String, String) {
    let entry = knowledge.column(column);
    (name_of(knowledge, entry.table), entry.name.clone())
}

fn same(one: &(String, String), other: &(String, String)) -> bool {
    one.0.eq_ignore_ascii_case(&other.0) && one.1.eq_ignore_ascii_case(&other.1)
}

fn evidence(draft: &Draft, linked: &Linked, knowledge: &Knowledge) -> Evidence {
    let empty = Vec::new();
    let chunks = linked.cuts.get(draft.cut).map_or(&empty, |(chunks, _)| chunks);
    let words = |chunk: usize| {
        chunks
            .get(chunk)
            .map(|chunk| linked.question.span_text(chunk.start, chunk.end).to_owned())
            .unwrap_or_default()
    };
    let meanings = draft
        .meanings
        .iter()
        .map(|meaning| WordMeaning {
            words: words(meaning.chunk),
            meaning: meaning.clone(),
            is_synonym: chunks
                .get(meaning.chunk)
                .is_some_and(|chunk| linked.is_synonym(chunk, meaning, knowledge)),
        })
        .collect();
    let ignored = super::rank::features::ignored(chunks, draft)
        .into_iter()
        .map(words)
        .filter(|text| text.chars().any(char::is_alphanumeric))
        .collect();
    let joins = draft
        .joins
        .edges
        .iter()
        .filter_map(|edge| {
            let (from, to) = edge.columns.first()?;
            Some(JoinReason {
                from: place(knowledge, *from),
                to: place(knowledge, *to),
                declared: edge.declared,
            })
        })
        .collect();
    let unusual = draft
        .choices
        .iter()
        // The grammar's choices are the names of its rules, of which none is less usual than another.
        .filter(|choice| choice.taken > 0 && draft.grammar.is_none())
        .map(|choice| choice.name.replace('_', " "))
        .collect();
    Evidence { meanings, ignored, joins, unusual, background: linked.question.background.clone() }
}

fn recognised(linked: &Linked, knowledge: &Knowledge) -> Vec<Recognised> {
    let Some((chunks, _)) = linked.cuts.first() else { return Vec::new() };
    let mut recognised = Vec::new();
    for chunk in chunks {
        let tables = chunk.tables.iter().take(2).map(|(table, _)| name_of(knowledge, *table));
        let columns = chunk.columns.iter().take(3).map(|(column, _)| place(knowledge, *column));
        let values = chunk
            .values
            .iter()
            .take(2)
            .filter_map(|value| value.column)
            .map(|column| place(knowledge, column));
        let names: Vec<String> =
            tables.chain(columns.chain(values).map(|(table, column)| format!("{table}.{column}"))).collect();
        if !names.is_empty() {
            recognised.push(Recognised {
                words: linked.question.span_text(chunk.start, chunk.end).to_owned(),
                names,
            });
        }
    }
    recognised
}

#[cfg(test)]
mod tests;
