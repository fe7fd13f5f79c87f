#include "tune/latency/latency_model.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace detent {

namespace {

constexpr double kDefaultDeviation = .5;  ///< of the default's own time before a measurement: any
constexpr double kTogether = .12;         ///< deviation of what two factors do together
constexpr double kNoneTogether = .4;      ///< probability that no two do
constexpr double kOwn = .01;              ///< deviation of what a set does beside all this
constexpr double kLeastScale = .3;        ///< of the noise, which is a part of a time

bool is_on(FactorSet set, size_t factor) { return (set >> factor & 1U) != 0; }

using Together = std::optional<std::pair<size_t, size_t>>;

/// Returns the weights that each set of `factors` adds, a row each: the default's, those of its factors, that of the
/// pair.
Eigen::MatrixXd features_of_all(size_t factors, const Together& together) {
  const auto sets = FactorSet{1} << factors;
  Eigen::MatrixXd all =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(sets), static_cast<Eigen::Index>(factors + (together ? 2 : 1)));
  all.col(0).setOnes();
  for (FactorSet set = 0; set < sets; ++set) {
    for (size_t i = 0; i < factors; ++i) all(set, static_cast<Eigen::Index>(i + 1)) = is_on(set, i) ? 1 : 0;
    if (together && is_on(set, together->first) && is_on(set, together->second)) all(set, all.cols() - 1) = 1;
  }
  return all;
}

}  // namespace

/// A possible pair of factors that do something together, and what the times say then.
struct LatencyModel::Hypothesis {
  Together together;
  double prior = 0;
  double probability = 0;
  // of the weights
  Eigen::VectorXd mean = {};
  Eigen::MatrixXd covariance = {};
  // of every set: `means`, and the covariance with set c is before(:, c) - with_times * explained(:, c)
  Eigen::VectorXd means = {};
  Eigen::MatrixXd all = {};         ///< features of every set
  Eigen::VectorXd variances = {};   ///< of the weights before the times
  Eigen::MatrixXd with_times = {};  ///< covariance of every set with each time, before
  Eigen::MatrixXd explained = {};   ///< the inverse covariance of the times, times with_times'

  [[nodiscard]] Eigen::VectorXd covariances_with(FactorSet set) const {
    const auto at = static_cast<Eigen::Index>(set);
    Eigen::VectorXd column = all * (variances.array() * all.row(at).transpose().array()).matrix();
    column[at] += kOwn * kOwn;
    column -= with_times * explained.col(at);
    return column;
  }
};

LatencyModel::~LatencyModel() = default;

LatencyModel::LatencyModel(std::vector<TimeBelief> effects, double noise,
                           const std::vector<std::pair<FactorSet, double>>& times)
    : effects_(std::move(effects)), noise_(noise) {
  const size_t count = effects_.size();
  const double pairs = static_cast<double>(count) * (static_cast<double>(count) - 1) / 2;
  hypotheses_.push_back({{}, pairs > 0 ? kNoneTogether : 1});
  for (size_t i = 0; i < count; ++i)
    for (size_t j = i + 1; j < count; ++j) hypotheses_.push_back({std::pair(i, j), (1 - kNoneTogether) / pairs});
  explain(times);
}

void LatencyModel::explain(const std::vector<std::pair<FactorSet, double>>& times) {
  const auto count = static_cast<Eigen::Index>(times.size());
  Eigen::VectorXd measured(count), noise(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    measured[i] = std::min(times[static_cast<size_t>(i)].second, kWorst);
    noise[i] = std::pow(noise_ * std::max(measured[i], kLeastScale), 2);
  }
  double best = -std::numeric_limits<double>::infinity();
  std::vector<double> evidence;
  for (Hypothesis& hypothesis : hypotheses_) {
    const auto width = static_cast<Eigen::Index>(factors() + (hypothesis.together ? 2 : 1));
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(width);
    hypothesis.variances = Eigen::VectorXd::Constant(width, kTogether * kTogether);
    mean[0] = 1, hypothesis.variances[0] = kDefaultDeviation * kDefaultDeviation;
    for (size_t i = 0; i < factors(); ++i) {
      mean[static_cast<Eigen::Index>(i + 1)] = effects_[i].mean;
      hypothesis.variances[static_cast<Eigen::Index>(i + 1)] = effects_[i].deviation * effects_[i].deviation;
    }
    hypothesis.all = features_of_all(factors(), hypothesis.together);
    Eigen::MatrixXd rows(count, width);
    for (Eigen::Index i = 0; i < count; ++i) rows.row(i) = hypothesis.all.row(times[static_cast<size_t>(i)].first);
    const Eigen::MatrixXd crossed = hypothesis.variances.asDiagonal() * rows.transpose();
    Eigen::MatrixXd scatter = rows * crossed;
    hypothesis.with_times = hypothesis.all * crossed;
    for (Eigen::Index i = 0; i < count; ++i) {
      const FactorSet set = times[static_cast<size_t>(i)].first;
      for (Eigen::Index j = 0; j < count; ++j)
        if (times[static_cast<size_t>(j)].first == set) scatter(i, j) += kOwn * kOwn;
      hypothesis.with_times(set, i) += kOwn * kOwn;
    }
    scatter.diagonal() += noise;
    const Eigen::LLT<Eigen::MatrixXd> factored(scatter);
    const Eigen::VectorXd residual = measured - rows * mean;
    const Eigen::VectorXd solved = factored.solve(residual);
    hypothesis.explained = factored.solve(hypothesis.with_times.transpose());
    hypothesis.means = hypothesis.all * mean + hypothesis.with_times * solved;
    hypothesis.mean = mean + crossed * solved;
    hypothesis.covariance = -crossed * factored.solve(crossed.transpose());
    hypothesis.covariance.diagonal() += hypothesis.variances;
    double logarithm = std::log(hypothesis.prior) - .5 * residual.dot(solved);
    const Eigen::MatrixXd lower = factored.matrixL();
    for (Eigen::Index i = 0; i < count; ++i) logarithm -= std::log(lower(i, i));
    evidence.push_back(logarithm);
    best = std::max(best, logarithm);
  }
  double sum = 0;
  for (size_t h = 0; h < hypotheses_.size(); ++h) sum += hypotheses_[h].probability = std::exp(evidence[h] - best);
  for (Hypothesis& hypothesis : hypotheses_) hypothesis.probability /= sum;
}

std::vector<TimeBelief> LatencyModel::beliefs() const {
  std::vector<TimeBelief> beliefs(sets());
  std::vector<double> squares(sets());
  for (const Hypothesis& hypothesis : hypotheses_) {
    Eigen::VectorXd spread = hypothesis.all.array().square().matrix() * hypothesis.variances;
    spread -= hypothesis.with_times.cwiseProduct(hypothesis.explained.transpose()).rowwise().sum();
    for (size_t set = 0; set < sets(); ++set) {
      const auto at = static_cast<Eigen::Index>(set);
      beliefs[set].mean += hypothesis.probability * hypothesis.means[at];
      squares[set] += hypothesis.probability * (spread[at] + kOwn * kOwn + hypothesis.means[at] * hypothesis.means[at]);
    }
  }
  for (size_t set = 0; set < sets(); ++set)
    beliefs[set].deviation = std::sqrt(std::max(squares[set] - beliefs[set].mean * beliefs[set].mean, 0.0));
  return beliefs;
}

TimeBelief LatencyModel::effect_of(size_t factor) const {
  const auto at = static_cast<Eigen::Index>(factor + 1);
  double mean = 0, square = 0;
  for (const Hypothesis& hypothesis : hypotheses_) {
    mean += hypothesis.probability * hypothesis.mean[at];
    square += hypothesis.probability * (hypothesis.covariance(at, at) + hypothesis.mean[at] * hypothesis.mean[at]);
  }
  return {mean, std::sqrt(std::max(square - mean * mean, 0.0))};
}

FactorSet LatencyModel::most_useful(const std::vector<FactorSet>& asked, const std::vector<FactorSet>& allowed) const {
  constexpr size_t kLookedAt = 64;  // the most promising sets; the others do not change the least time
  // Quadrature of the standard normal distribution: what the next time may tell.
  constexpr std::array<std::pair<double, double>, 6> kOutcomes{
      {{-1.5, .1}, {-.8, .18}, {-.25, .22}, {.25, .22}, {.8, .18}, {1.5, .1}}};
  const std::vector<TimeBelief> known = beliefs();
  std::vector<FactorSet> promising = asked;
  const size_t looked_at = std::min(kLookedAt, promising.size());
  const auto optimistic = [&](FactorSet set) { return known[set].mean - 2 * known[set].deviation; };
  std::ranges::partial_sort(promising, promising.begin() + static_cast<std::ptrdiff_t>(looked_at), {}, optimistic);
  promising.resize(looked_at);

  // covariances of every set with the promising ones: within the possibilities and between them
  Eigen::MatrixXd covariances =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(sets()), static_cast<Eigen::Index>(looked_at));
  for (const Hypothesis& hypothesis : hypotheses_) {
    Eigen::VectorXd off = hypothesis.means;
    for (FactorSet set = 0; set < sets(); ++set) off[set] -= known[set].mean;
    for (size_t i = 0; i < looked_at; ++i)
      covariances.col(static_cast<Eigen::Index>(i)) +=
          hypothesis.probability * (hypothesis.covariances_with(promising[i]) + off[promising[i]] * off);
  }
  FactorSet best = promising.front();
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < looked_at; ++i) {
    const TimeBelief& belief = known[promising[i]];
    const double told = std::hypot(belief.deviation, noise_ * std::max(belief.mean, kLeastScale));
    double expected = 0;
    for (const auto& [outcome, weight] : kOutcomes) {
      double smallest = std::numeric_limits<double>::infinity();
      for (const FactorSet set : allowed)
        smallest =
            std::min(smallest, known[set].mean + outcome * covariances(set, static_cast<Eigen::Index>(i)) / told);
      expected += weight * smallest;
    }
    if (expected < least) least = expected, best = promising[i];
  }
  return best;
}

}  // namespace detent
