"""What the arena does, as functions of a `Service`: pages, routes and commands call these only.

They raise the errors of `driftduel.arena.errors`, each with its HTTP status, and return frozen
records.
"""

from __future__ import annotations

from driftduel.arena.service.arenas import Created as Created
from driftduel.arena.service.arenas import Described as Described
from driftduel.arena.service.arenas import arenas as arenas
from driftduel.arena.service.arenas import change_arena as change_arena
from driftduel.arena.service.arenas import create_arena as create_arena
from driftduel.arena.service.arenas import describe as describe
from driftduel.arena.service.arms import change_arms as change_arms
from driftduel.arena.service.cards import NewCard as NewCard
from driftduel.arena.service.cards import cards as cards
from driftduel.arena.service.cards import image_of as image_of
from driftduel.arena.service.cards import set_card as set_card
from driftduel.arena.service.duels import Asked as Asked
from driftduel.arena.service.duels import Shown as Shown
from driftduel.arena.service.duels import ask as ask
from driftduel.arena.service.duels import find_open as find_open
from driftduel.arena.service.duels import html_of as html_of
from driftduel.arena.service.duels import open_again as open_again
from driftduel.arena.service.export import COLUMNS as COLUMNS
from driftduel.arena.service.export import standing_csv as standing_csv
from driftduel.arena.service.export import votes_csv as votes_csv
from driftduel.arena.service.export import write_parquet as write_parquet
from driftduel.arena.service.groups import Grouped as Grouped
from driftduel.arena.service.groups import groups as groups
from driftduel.arena.service.health import Health as Health
from driftduel.arena.service.health import health as health
from driftduel.arena.service.health import health_tag as health_tag
from driftduel.arena.service.history import Day as Day
from driftduel.arena.service.history import Past as Past
from driftduel.arena.service.history import history as history
from driftduel.arena.service.imports import Import as Import
from driftduel.arena.service.imports import Imported as Imported
from driftduel.arena.service.imports import import_votes as import_votes
from driftduel.arena.service.imports import imports as imports
from driftduel.arena.service.imports import take_back_import as take_back_import
from driftduel.arena.service.limits import Buckets as Buckets
from driftduel.arena.service.reports import shown as shown
from driftduel.arena.service.reports import status as status
from driftduel.arena.service.service import Service as Service
from driftduel.arena.service.service import purge as purge
from driftduel.arena.service.suggestions import Suggestion as Suggestion
from driftduel.arena.service.suggestions import add_suggested as add_suggested
from driftduel.arena.service.suggestions import decline_suggested as decline_suggested
from driftduel.arena.service.suggestions import suggest as suggest
from driftduel.arena.service.suggestions import suggestions as suggestions
from driftduel.arena.service.tokens import Holder as Holder
from driftduel.arena.service.tokens import Token as Token
from driftduel.arena.service.tokens import check_holder as check_holder
from driftduel.arena.service.tokens import check_token as check_token
from driftduel.arena.service.tokens import has_owner as has_owner
from driftduel.arena.service.tokens import holder_of as holder_of
from driftduel.arena.service.tokens import new_claim as new_claim
from driftduel.arena.service.tokens import new_token as new_token
from driftduel.arena.service.tokens import revoke_token as revoke_token
from driftduel.arena.service.tokens import tokens as tokens
from driftduel.arena.service.upgrades import Upgrade as Upgrade
from driftduel.arena.service.upgrades import accept_rules as accept_rules
from driftduel.arena.service.upgrades import upgrade as upgrade
from driftduel.arena.service.verify import Verified as Verified
from driftduel.arena.service.verify import verify as verify
from driftduel.arena.service.voters import Voter as Voter
from driftduel.arena.service.voters import exclude as exclude
from driftduel.arena.service.voters import forget as forget
from driftduel.arena.service.voters import include as include
from driftduel.arena.service.voters import voters as voters
from driftduel.arena.service.voters import votes_of as votes_of
from driftduel.arena.service.votes import Receipt as Receipt
from driftduel.arena.service.votes import Retracted as Retracted
from driftduel.arena.service.votes import retract as retract
from driftduel.arena.service.votes import retract_as_owner as retract_as_owner
from driftduel.arena.service.votes import tell as tell
from driftduel.arena.service.votes import tell_async as tell_async
from driftduel.arena.status import Status as Status
