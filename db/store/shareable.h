// Which build a new job of the same request key shares.
#ifndef SHAKEDOWN_DB_STORE_SHAREABLE_H_
#define SHAKEDOWN_DB_STORE_SHAREABLE_H_

namespace shakedown::store {

// A condition on `builds b`: under way, or built with its artefacts still there. A floating source
// (newest Debian version, local tree) is looked up again after a day.
#define SHAKEDOWN_SHAREABLE                                                                 \
  "(b.state IN ('queued', 'running') OR (b.state = 'built' "                                \
  "AND NOT (b.floating AND b.ended_at < now() - interval '24 hours') "                      \
  "AND EXISTS (SELECT FROM artefacts WHERE sha256 = b.image) "                              \
  "AND (b.initramfs IS NULL OR EXISTS (SELECT FROM artefacts WHERE sha256 = b.initramfs)) " \
  "AND (b.modules IS NULL OR EXISTS (SELECT FROM artefacts WHERE sha256 = b.modules))))"

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_SHAREABLE_H_
