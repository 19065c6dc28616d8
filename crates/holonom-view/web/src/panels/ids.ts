// What tests find in the page, by `data-testid`. Nothing is computed here: this is the list that the parts and the tests agree on.
//
// top bar      scene see downloads theme help side-toggle connection (data-state: connecting, open, lost)
//              tool-drag tool-push tool-twist tool-trail tool-jog tool-build (aria-checked)
//              mode-dynamic mode-quasi-static mode-kinematic (aria-checked); mode-menu below 560 px
//              cap (slider) cap-value cap-usual; release-all pinned-count (hidden while nothing is pinned)
// time bar     play pause (one of them is seen) step reset time speed scrub real-time cost gap method
// over view    view connection-banner reconnect stopped-banner stopped-reset past activity
//              toasts toast-error toast-note toast-details
// tabs         tab-inspect tab-plots tab-doctor tab-energy tab-matrix tab-build side side-edge
// inspect      contents-search thing (data-path) selected-name unselect drive value (data-name, data-value) plot-this inspect-numbers
// plots        quantity-search quantity-list quantity (data-name, aria-pressed) charts chart (data-unit) legend-value (data-name, data-value)
//              plot-remove plot-window plots-csv plots-clear
// doctor       doctor doctor-sentence doctor-row doctor-again doctor-mobility doctor-bodies doctor-joints doctor-rows doctor-rank doctor-loops
// energy       energy-kinetic energy-potential energy-total (data-value) ledger ledger-row
// matrix       spy spy-J spy-H spy-L spy-A spy-under spy-facts
// gallery      gallery gallery-close gallery-search gallery-cards gallery-card (data-scene) gallery-file gallery-open-file gallery-new drop
// what is seen see-sheet show-reactions show-torques ... (one for each of `Shown`) arrow-scale look-fit look-front look-right look-top look-home look-through
// downloads    downloads-menu download-csv download-png download-scene download-inputs
// help         help-sheet help-sheet-close
