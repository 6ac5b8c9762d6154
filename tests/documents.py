"""The shapes that the five documents print, once: what each dialect looks like, and the ladder file as it stands."""

from typing import Any

Shape = dict[str, Any]

REVIEW: Shape = {
    "type": "review_findings",
    "reviewer": "reviewer",
    "status": "changes_requested",
    "findings": [
        {
            "severity": "high",
            "file": "handlers/feature.go",
            "line": 42,
            "issue": "Missing error handling",
            "recommendation": "Add error check before proceeding",
        }
    ],
    "approval": False,
}
SECURITY: Shape = {
    "type": "security_issues",
    "source": "devil's-advocate",
    "vulnerabilities": [
        {
            "severity": "critical",
            "type": "sql_injection",
            "location": "services/user.go:123",
            "exploit": "Input ' OR '1'='1 bypasses auth",
            "fix": "Use parameterized queries",
        }
    ],
}
FAILURES: Shape = {
    "type": "test_failures",
    "source": "test-executor",
    "round": 2,
    "max_rounds": 3,
    "failures": [
        {
            "test": "TestFeatureIntegration",
            "error": "expected 200, got 500",
            "file": "tests/integration/feature_test.go:42",
            "likely_fix": "Check error handling in handlers/feature.go",
        }
    ],
    "summary": {"total": 10, "passed": 8, "failed": 2},
}
RESULTS: Shape = {"type": "test_results", "status": "passed", "summary": {"total": 10, "passed": 10, "failed": 0}}
CLARIFICATION: Shape = {
    "type": "clarification_request",
    "from": "implementer",
    "question": "Should the feature support pagination?",
    "context": "The requirements mention 'list all items' but don't specify limits",
    "options": ["Add pagination (offset/limit)", "Add cursor-based pagination", "Return all items (no pagination)"],
}
ESCALATION: Shape = {
    "type": "escalation",
    "from": "builder",
    "to": "orchestrator",
    "payload": {
        "reason": "spec_ambiguity",
        "details": "Cannot determine auth method",
        "options": ["JWT", "Session", "OAuth"],
        "context": "spec line 45",
        "blocking": True,
    },
}
QUEST_SHORT: Shape = {
    "status": "complete",
    "output": "src/auth/registration.ts",
    "report": "A user can register with an email address",
    "nextSteps": "Wire the route",
    "retro": "The fixtures are in tests/helpers",
}
QUEST_LONG: Shape = {
    "agentType": "codeweaver",
    "status": "blocked",
    "task": "User can register with email",
    "output": {
        "filesCreated": ["src/auth/registration.ts", "src/auth/registration.test.ts"],
        "filesModified": ["src/auth/index.ts"],
        "interfaces": ["AuthResult"],
        "integrationPoints": ["auth routes"],
    },
    "report": "The form is there, the mail is not",
    "blockers": "No mail service is configured",
    "recommendations": "Name one",
    "retro": "Ask for the mail service first",
}
SUB_AGENTS: Shape = {
    "decision": "delegate",
    "subAgents": [
        {"task": "analyze_existing_auth_patterns", "scope": "discovery_only"},
        {"task": "identify_integration_points", "scope": "discovery_only"},
    ],
}
TASKS: Shape = {
    "codeweaver-1": {
        "task": "User can register with email",
        "files": ["src/auth/registration.ts", "src/auth/registration.test.ts"],
    },
    "codeweaver-2": {
        "task": "User can reset password",
        "files": ["src/auth/password-reset.ts", "src/auth/password-reset.test.ts"],
    },
}
SHARED: Shape = {
    "sharedTypes": {"User interface": "defined by Pathseeker", "AuthResult type": "defined by Pathseeker"},
    "integrationPoints": {
        "auth routes": "registration + login both modify routes/auth.ts",
        "user service": "multiple features depend on user-service.ts",
    },
}
LADDER_FILE = """\
# ~/.oi/config/escalation.yaml

model_ladder:
  dev-agent:
    0-1: glm-4       # Simple stuff might work
    2-3: sonnet      # Medium complexity
    4-5: opus        # Hard problems
    6+: escalate     # Give up, need help

  test-architect:
    0-1: sonnet      # Tests need reasoning
    2-3: opus
    4+: escalate

  story-agent:
    0-2: haiku       # Stories are simpler
    3-4: sonnet
    5+: escalate

  qa-agent:
    0-1: sonnet      # QA needs attention
    2-3: opus
    4+: escalate
"""

# The comments of the disputes document, and the first of them alone: what the dev writes, then dies.
COMMENTS = """\
# Artifact: tests/247-trading-tests.md
# Metadata: tests/247-trading-tests.meta.yaml

comments:
  - id: c001
    author: dev-agent
    timestamp: 2024-01-17T14:30:00
    target: "test_trade_cancellation"  # specific test/section
    content: |
      This test assumes synchronous cancellation, but the
      architecture doc specifies async event-driven cancellation.
      Test will always fail with correct implementation.
    status: open

  - id: c002
    author: test-architect
    timestamp: 2024-01-17T15:45:00
    parent: c001  # reply to
    content: |
      You're right. Architecture says async. Updating test
      to use async/await pattern with proper event mocking.
    status: resolved
    resolution: accepted
"""
CONCERN = COMMENTS[: COMMENTS.index("\n  - id: c002")]
