use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use winclaw_tool::{Failure, ToolId};

use crate::RestartPolicy;

/// How often a plugin's child crashed of late, and when it may start again.
pub(crate) struct Health {
    policy: RestartPolicy,
    /// When it crashed, within the window, oldest first.
    crashes: VecDeque<Instant>,
}

impl Health {
    pub(crate) fn new(policy: RestartPolicy) -> Self {
        Health { policy, crashes: VecDeque::new() }
    }

    pub(crate) fn crashed(&mut self, now: Instant) {
        self.forget(now);
        self.crashes.push_back(now);
    }

    /// How long to wait before a start, from `now`; a failure while the plugin is paused.
    pub(crate) fn next_start(&mut self, now: Instant, tool: &ToolId) -> Result<Duration, Failure> {
        self.forget(now);
        let Some(&last) = self.crashes.back() else {
            return Ok(Duration::ZERO);
        };
        let passed = now.duration_since(last);
        let count = self.crashes.len();
        if count >= self.policy.limit && passed < self.policy.pause {
            return Err(paused(tool, count, self.policy.pause - passed));
        }
        let delay = self.policy.delays.get(count - 1).or(self.policy.delays.last()).copied().unwrap_or_default();
        Ok(delay.saturating_sub(passed))
    }

    fn forget(&mut self, now: Instant) {
        while self.crashes.front().is_some_and(|&crash| now.duration_since(crash) > self.policy.window) {
            self.crashes.pop_front();
        }
    }
}

/// The health, also after a panic of another holder: it is plain data and never half changed.
pub(crate) fn locked(health: &Mutex<Health>) -> MutexGuard<'_, Health> {
    health.lock().unwrap_or_else(PoisonError::into_inner)
}

fn paused(tool: &ToolId, crashes: usize, left: Duration) -> Failure {
    let (plugin, seconds) = (tool.source(), left.as_secs() + 1);
    let message = format!(
        "`{tool}` is unavailable for another {seconds} s: its plugin crashed {crashes} times in a short time. It is \
         recoverable; try later or do without it"
    );
    Failure::unavailable(message).with_hint(
        format!("Plugin `{plugin}` keeps crashing; it is tried again in {seconds} s. Update it or report it to its publisher."),
        format!("插件“{plugin}”反复崩溃，{seconds} 秒后会重试。请更新该插件或告知其发布者。"),
    )
}

#[cfg(test)]
mod tests {
    use winclaw_tool::FailureCode;

    use super::*;

    #[test]
    fn restarts_back_off_and_three_crashes_pause_the_plugin() {
        let tool = ToolId::parse("sky.forecast").expect("an id");
        let start = Instant::now();
        let at = |seconds: f64| start + Duration::from_secs_f64(seconds);
        let mut health = Health::new(RestartPolicy::default());
        assert_eq!(health.next_start(at(0.0), &tool), Ok(Duration::ZERO));
        health.crashed(at(1.0));
        assert_eq!(health.next_start(at(1.0), &tool), Ok(Duration::ZERO));
        health.crashed(at(2.0));
        assert_eq!(health.next_start(at(2.0), &tool), Ok(Duration::from_millis(100)));
        assert_eq!(health.next_start(at(3.0), &tool), Ok(Duration::ZERO));
        health.crashed(at(4.0));
        let failure = health.next_start(at(10.0), &tool).expect_err("paused");
        assert_eq!((failure.code, failure.retryable), (FailureCode::Unavailable, true));
        assert!(failure.message.contains("recoverable") && failure.message.contains("25 s"), "{failure}");
        assert_eq!(health.next_start(at(34.5), &tool), Ok(Duration::ZERO));
    }

    #[test]
    fn crashes_far_apart_are_forgotten() {
        let tool = ToolId::parse("sky.forecast").expect("an id");
        let start = Instant::now();
        let mut health = Health::new(RestartPolicy::default());
        for minute in 0..10 {
            let now = start + Duration::from_secs(61 * minute);
            assert_eq!(health.next_start(now, &tool), Ok(Duration::ZERO), "minute {minute}");
            health.crashed(now);
        }
    }

    #[test]
    fn further_crashes_wait_as_long_as_the_last_delay_says() {
        let tool = ToolId::parse("sky.forecast").expect("an id");
        let now = Instant::now();
        let mut health = Health::new(RestartPolicy { limit: 10, ..RestartPolicy::default() });
        (0..5).for_each(|_| health.crashed(now));
        assert_eq!(health.next_start(now, &tool), Ok(Duration::from_secs(1)));
    }
}
